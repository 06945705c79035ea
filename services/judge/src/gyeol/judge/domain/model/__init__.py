"""Judging by a language model: what it is asked, and the one strict reading of what it replies."""
