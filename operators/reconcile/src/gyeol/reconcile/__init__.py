"""AlignmentRun and its pure decide-function."""
