"""Runs, their books and what they made."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from gyeol.gateway.view.document import View


class Condition(View):
    """A milestone of a run."""

    type: str
    """For example `DataSealed`."""
    status: str
    """`True`, `False` or `Unknown`."""
    reason: str
    message: str
    since: str
    """When the status last changed, RFC 3339."""


class Run(View):
    """A run as registered, with the hand's view of it."""

    id: str
    name: str
    state: str
    """What the run is doing, for example `Training`; empty before the hand has said anything."""
    reason: str
    progress: str
    verdict: str
    """`Pass`, `Fail` or `Inconclusive`; empty before the gate."""
    target: int
    """Accepted triplets wanted; 0 before the hand has said it."""
    targets: dict[str, int]
    """Accepted triplets wanted in each stratum."""
    created_at: datetime
    spec_digest: str
    spec: dict[str, Any]
    conditions: tuple[Condition, ...]

    @property
    def ended(self) -> bool:
        return self.state in {"Succeeded", "Failed"}


class Tally(View):
    """`inputs` = `results` + `drops` + `failures` + `pending`."""

    name: str
    """A stage, or a stratum."""
    inputs: int
    results: int
    """Of a stratum: usable triplets."""
    drops: int
    failures: int
    pending: int


class Budget(View):
    money_limit: str | None
    """Decimal string; null: no limit."""
    currency: str
    token_limit: int | None
    money: str
    """Settled, a decimal string."""
    tokens: int
    """Settled."""
    money_reserved: str
    tokens_reserved: int


class Account(View):
    """The books of a run."""

    balanced: bool
    """Everything that came in has ended, and no event is missing."""
    inputs: int
    triplets: int
    benign_triplets: int
    failures: int
    pending: int
    gaps: int
    """Records further on than their stored events explain."""
    awaiting_review: int
    calls: int
    """Model calls paid for."""
    cached_calls: int
    """Model calls answered from the store."""
    stages: tuple[Tally, ...]
    strata: tuple[Tally, ...]
    drops: dict[str, int]
    """By reason."""
    budget: Budget


class Artifact(View):
    kind: str
    """`dataset`, `model`, `evaluation`, `gate-verdict` or `promotion`."""
    digest: str
    location: str
    inputs: tuple[str, ...]
    """Digests it was made from."""
    manifest: dict[str, Any]
    created_at: datetime


class MetricPoint(View):
    step: int
    value: float | None
    """Null where the job measured no finite number."""


class RunPage(View):
    runs: tuple[Run, ...]
    next_page: str
    """Give it as `page` for the runs after these; empty: there are none."""


class Verified(View):
    digest: str
    """The Merkle root over rows, recomputed."""
