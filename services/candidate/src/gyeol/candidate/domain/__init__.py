"""What mining and writing are: frozen values and pure functions."""
