"""Turns a model URI into a local folder of verified safetensors."""
