"""Where items come from. Each module turns one kind of source into items."""
