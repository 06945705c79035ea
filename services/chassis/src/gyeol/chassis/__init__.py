"""Plumbing of every Gyeol service. Imports nothing, so that a module of it costs only what it needs."""
