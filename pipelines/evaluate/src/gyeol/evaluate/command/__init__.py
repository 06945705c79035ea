"""`gyeol eval`: measure a model on suites, and everything around it."""

from gyeol.evaluate.command.app import command

__all__ = ["command"]
