"""Distributed DPO on sealed preference triplets."""
