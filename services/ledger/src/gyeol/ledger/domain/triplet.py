"""A stored triplet with what people made of it, and the filter a list of them is asked for with."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from gyeol.ledger.domain.record import STAGES, Marks, Step, standing


class Review(enum.Enum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class StoredTriplet:
    run_id: str
    record_id: str
    triplet_id: str
    stratum: str
    review: Review
    reviewer: str
    comment: str
    overlaps_with: str
    """`<suite>/<item>` of the evaluation item it overlaps with, or empty."""
    payload: bytes
    """`gyeol.api.judge.v1.Triplet` without rejected text."""


@dataclass(frozen=True, slots=True)
class TripletFilter:
    """Empty fields let everything pass."""

    category: str = ""
    stratum: str = ""
    kind: str = ""
    """`harmful` or `benign`."""
    review: Review | None = None
    disputed_only: bool = False
    query: str = ""
    """Part of the question."""


@dataclass(frozen=True, slots=True)
class DropFilter:
    """Empty fields let everything pass; a reason leaves failures out."""

    reason: str = ""
    stage: str = ""
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class Loss:
    """A stored drop or failure."""

    origin: str
    """`drop` or `failure`."""
    record_id: str
    stage: str
    at: datetime
    marks: Marks
    """Of its record, which may have gone on since."""
    payload: bytes
    """`RecordDropped` without evidence, or `RecordFailed` without the payload it carries."""

    @property
    def stands(self) -> bool:
        """The record has not gone on since."""
        where = standing(self.marks)
        if self.origin == "drop":
            return where.steps[STAGES.index(self.stage)] is Step.DROP
        return where.ending is Step.FAILURE


@dataclass(frozen=True, slots=True)
class Access:
    """What a person did with a record, or with a run's whole dataset."""

    action: str
    """`approved`, `rejected`, `pending`, `comment`, `revealed` or `exported`."""
    person: str
    comment: str
    at: datetime
    record_id: str = ""
    """Empty for an export of the whole dataset."""
    number: int = 0
    """Place in the log, once it is stored."""


@dataclass(frozen=True, slots=True)
class RejectedText:
    """Harmful text or evidence, from the table of its own."""

    origin: str
    """`triplet`, `drop` or `failure`."""
    stage: str
    content: bytes
