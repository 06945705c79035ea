"""Public files as users bring them: where they lie, how they are read, what is refused."""
