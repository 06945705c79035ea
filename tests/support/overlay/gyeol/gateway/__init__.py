"""Stand-in for the gateway."""
