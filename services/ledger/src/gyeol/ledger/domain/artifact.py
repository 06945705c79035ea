"""Things that jobs made, and numbers they reported on the way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

KINDS = ("model", "evaluation", "gate-verdict", "dataset", "promotion")


@dataclass(frozen=True, slots=True)
class Artifact:
    kind: str
    """One of `KINDS`."""
    digest: str
    run_id: str
    location: str
    inputs: tuple[str, ...]
    """Digests it was made from."""
    manifest_json: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MetricPoint:
    step: int
    name: str
    value: float
    """NaN where the job measured no finite number."""
