"""Stand-in for the training job."""
