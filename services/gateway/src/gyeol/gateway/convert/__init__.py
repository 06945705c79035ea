"""From protos to views."""
