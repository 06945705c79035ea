"""What can be wrong with the input of a gate.

GateError
├── PolicyError      the policy file cannot be used: names file, field, value and remedy
└── EvidenceError    outcomes cannot be used as evidence; turns into an inconclusive verdict, never into a pass
"""

from __future__ import annotations


class GateError(Exception):
    """Something the caller has to mend."""


class PolicyError(GateError):
    """The gate policy cannot be used."""


class EvidenceError(GateError):
    """Outcomes that cannot be compared: missing, truncated, of another runner, of other items."""
