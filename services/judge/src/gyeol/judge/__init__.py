"""Citation check, candidate choice and the judging panel."""
