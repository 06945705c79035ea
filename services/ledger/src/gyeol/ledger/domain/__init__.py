"""What the ledger decides: standings, accounts, budgets, Merkle roots, overlaps. Frozen values and pure functions."""
