"""The OpenAI-compatible door: chat completions, completions and the list of models."""
