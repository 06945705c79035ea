"""What judging is: frozen values and pure functions. Nothing here waits, reads a file or knows a wire format."""
