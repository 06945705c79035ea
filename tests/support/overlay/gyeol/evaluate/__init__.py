"""Stand-in for the evaluation job."""
