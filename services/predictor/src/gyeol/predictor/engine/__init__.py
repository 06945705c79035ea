"""Engines: whatever continues and scores tokens."""
