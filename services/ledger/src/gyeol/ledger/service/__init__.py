"""What the ledger does, and the ports it needs for it."""
