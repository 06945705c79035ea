"""Checks of a whole pack: what a schema of one file cannot see.

`identity`, `reference` and `wording` must hold before a service serves the pack; the others are for its author.
"""
