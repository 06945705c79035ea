"""Stand-in for the gate."""
