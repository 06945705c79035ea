"""Adapters: the relational store (SQLite or PostgreSQL by one SQL layer), Parquet files and the places they are kept in."""
