"""A run's dataset while it is sealed: members first, then files, then the digest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Member:
    """A triplet of a dataset, as stored."""

    triplet_id: str
    record_id: str
    payload: bytes
    """`gyeol.api.judge.v1.Triplet` without rejected text."""
    apart: bytes
    """The same message with nothing but rejected text."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What was left out of a dataset, and what it was compared with; fixed with its members."""

    left_out: dict[str, int] = field(default_factory=dict)
    """By reason: `review`, `duplicate`, `contaminated`."""
    decontamination: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dataset:
    run_id: str
    digest: str
    """`sha256:<hex>`, the Merkle root over rows; empty while it is being sealed."""
    location: str
    rows: int
    benign_rows: int
    manifest_json: str
    conditions: Conditions

    @property
    def sealed(self) -> bool:
        return bool(self.digest)
