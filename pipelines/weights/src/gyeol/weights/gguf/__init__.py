"""GGUF to safetensors: header, weights, tokenizer."""
