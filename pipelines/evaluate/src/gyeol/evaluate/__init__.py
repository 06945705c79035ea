"""Scores one model on suites; one outcome per item."""
