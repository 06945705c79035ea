"""Packs, policies, laws and citations: frozen values and pure functions."""
