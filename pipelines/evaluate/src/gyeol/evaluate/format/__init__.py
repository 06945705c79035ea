"""Public benchmark files, read exactly as published. Each module turns the rows of one format into items."""
