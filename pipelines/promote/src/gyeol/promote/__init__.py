"""Writes the pinned model in a Git repository and opens the pull request."""
