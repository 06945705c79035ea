"""Triplets, drops and what people did with them. Rejected text is not part of any of these but `Revealed`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from gyeol.gateway.view.document import View


class Message(View):
    role: str
    content: str


class Citation(View):
    """A statute cited in an answer, and what became of it."""

    text: str
    start: int
    """First character in the answer."""
    end: int
    law: str
    article: str
    verdict: Literal["VERIFIED", "NOT_IN_FORCE", "NOT_FOUND", "UNCHECKED"]
    reason: str
    suggestion: str
    """What to write instead; empty when nothing better is known."""


class Candidate(View):
    writer: str
    model: str
    """`builtin`, or the model that answered."""
    text: str
    safety: float | None
    """1 to 5."""
    coherence: float | None
    """1 to 5."""
    chosen: bool
    rejected_because: str
    """Why it could not be chosen; empty for eligible ones."""
    unscored: str
    """Why there is no answer; empty when there is one."""
    citations: tuple[Citation, ...]


class Criterion(View):
    criterion: str
    met: bool | None
    """Null: could not be measured."""
    unscored: str
    reason: str


class Verdict(View):
    judge: str
    model: str
    criteria: tuple[Criterion, ...]


class Access(View):
    """What a person did with a record, or with a run's whole dataset."""

    action: str
    """`approved`, `rejected`, `pending`, `comment`, `revealed` or `exported`."""
    person: str
    comment: str
    at: datetime
    record_id: str
    """Empty for an export."""


class Triplet(View):
    """A triplet in a list."""

    id: str
    record_id: str
    question: str
    kind: Literal["harmful", "benign"]
    stratum: str
    category: str
    type: str
    chosen_writer: str
    disputed: bool
    review: Literal["pending", "approved", "rejected"]
    overlaps_with: str
    """The evaluation item it overlaps with, which kept it out of the dataset; empty: none."""
    accepted_at: datetime


class TripletDetail(Triplet):
    """A triplet with everything it was made from, except the rejected answer."""

    prompt: tuple[Message, ...]
    chosen: str
    candidates: tuple[Candidate, ...]
    verdicts: tuple[Verdict, ...]
    strategy: str
    """How the prompt was mined: an attack strategy, `plain` or `benign`."""
    attempt: int
    target: str
    """The model whose answer is rejected."""
    compliance: float | None
    """How far the rejected answer complied with the harm, 1 to 5."""
    rejected_source: str
    """`target`, or `template` for a needless refusal that was written for the purpose."""
    query_score: float | None
    """1 benign to 4 severe."""
    mold_id: str
    slots: dict[str, str]
    policy_id: str
    policy_version: int
    policy_digest: str
    law_as_of: str
    reviewer: str
    comment: str
    history: tuple[Access, ...]


class TripletPage(View):
    triplets: tuple[Triplet, ...]
    total: int
    """Triplets that match, on all pages."""
    next_page: str


class Loss(View):
    """A drop (judged and found wanting) or a failure (could not be judged)."""

    outcome: Literal["drop", "failure"]
    record_id: str
    stage: str
    stratum: str
    reason: str
    """A drop reason, or the meaning of the error."""
    detail: str
    deliveries: int
    """Of a failure: how often it was tried."""
    at: datetime


class AccessPage(View):
    accesses: tuple[Access, ...]
    next_page: str


class LossPage(View):
    losses: tuple[Loss, ...]
    next_page: str


class Revealed(View):
    """Harmful text of one record. Reading it was written down."""

    rejected: str
    question: str
    prompt: tuple[Message, ...]
    candidates: tuple[Candidate, ...]


class ReviewGiven(View):
    """What a reviewer decides."""

    review: Literal["approved", "rejected", "pending"] | None = None
    """Null: only a comment."""
    comment: str = Field(default="", max_length=2000)
