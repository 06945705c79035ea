"""The only modules that know both worlds, the protos and the ledger's own values. What cannot be used is refused here."""
