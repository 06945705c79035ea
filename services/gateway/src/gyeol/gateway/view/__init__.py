"""What the gateway shows: the answers of the REST API and the values of the console's pages are the same."""
