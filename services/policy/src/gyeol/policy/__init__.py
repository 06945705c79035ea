"""Culture packs, rendered policies, statutes and citation verification."""
