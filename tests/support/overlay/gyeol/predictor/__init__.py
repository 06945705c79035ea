"""Stand-in for the model server."""
