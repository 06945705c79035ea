"""The commands of `gyeol`, a module for each."""
