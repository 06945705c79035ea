"""The real things, made small: what tests of all deployables share."""
