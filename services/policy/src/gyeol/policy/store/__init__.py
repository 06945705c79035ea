"""Adapters: pack folders, the law index file, statute mirrors and packed images on disk."""
