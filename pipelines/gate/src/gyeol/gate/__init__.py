"""Compares candidate and baseline; verdict with reasons; reports."""
