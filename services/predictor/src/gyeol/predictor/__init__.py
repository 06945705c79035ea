"""KServe-protocol model server with an OpenAI-compatible door."""
