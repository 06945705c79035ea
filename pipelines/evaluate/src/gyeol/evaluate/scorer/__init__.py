"""How answers become outcomes. Each module scores one kind of item."""
