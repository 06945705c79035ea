"""Seeds: frozen values and pure functions."""
