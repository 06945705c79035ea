"""Runs, records, budget, reviews, sealed datasets and lineage."""
