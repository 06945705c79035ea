"""REST API and web console."""
