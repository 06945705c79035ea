"""A Kubernetes API server for tests: real HTTP, and faithful where an operator can be wrong."""
