"""Stand-in for the weights job."""
