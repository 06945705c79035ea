"""A verdict told to machines (JSON), to a pull request (Markdown) and to a person (HTML with plots)."""
