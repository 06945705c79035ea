"""What stages told the ledger, parsed: the columns that are queried beside the serialised proto.

`payload` never holds rejected text; that travels in `apart` and is stored in a table of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from gyeol.ledger.domain.record import ELSEWHERE, STAGES, TRIPLET, Marks, stage_bit


@dataclass(frozen=True, slots=True)
class StageDone:
    run_id: str
    record_id: str
    stratum: str
    stage: str
    output_digest: str
    calls: int
    cached_calls: int

    @property
    def marks(self) -> Marks:
        return Marks(completed=stage_bit(self.stage))


@dataclass(frozen=True, slots=True)
class CitedArticle:
    law: str
    article: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    run_id: str
    record_id: str
    stratum: str
    triplet_id: str
    category: str
    kind: str
    """`harmful` or `benign`."""
    question: str
    policy_id: str
    policy_version: int
    policy_digest: str
    disputed: bool
    accepted_at: datetime
    citations: tuple[CitedArticle, ...]
    """Of the chosen answer."""
    payload: bytes
    """`gyeol.api.judge.v1.Triplet` without rejected text."""
    apart: bytes
    """`gyeol.api.judge.v1.Triplet` with nothing but rejected text; merging both gives the whole."""

    @property
    def marks(self) -> Marks:
        return Marks(completed=TRIPLET)


@dataclass(frozen=True, slots=True)
class Drop:
    run_id: str
    record_id: str
    stratum: str
    stage: str
    reason: str
    dropped_at: datetime
    payload: bytes
    """`gyeol.api.failure.v1.RecordDropped` without evidence."""
    apart: bytes
    """The evidence."""

    @property
    def marks(self) -> Marks:
        return Marks(dropped=stage_bit(self.stage))


@dataclass(frozen=True, slots=True)
class Failure:
    run_id: str
    record_id: str
    stratum: str
    stage: str
    """Any deployable: a record can also fail outside its stages."""
    failed_at: datetime
    payload: bytes
    """`gyeol.api.failure.v1.RecordFailed` without the payload it carries."""
    apart: bytes
    """That payload."""

    @property
    def marks(self) -> Marks:
        return Marks(failed=stage_bit(self.stage) if self.stage in STAGES else ELSEWHERE)


Entry = StageDone | Acceptance | Drop | Failure
