"""Seeds from molds and local slot values."""
