"""What is to be done next: steps, the new status, events, and when to look again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from gyeol.reconcile.allotment import Kind
from gyeol.reconcile.seen import Job, Side
from gyeol.reconcile.status import AlignmentRunStatus


@dataclass(frozen=True)
class RequestSeeds:
    """Ask the seed service for a stretch of a stratum's sequence."""

    stratum: str
    kind: Kind
    offset: int
    count: int
    redrive: int = 0
    """How often this was asked for again after nothing moved; 0 for the first time."""


@dataclass(frozen=True)
class SealDataset:
    """Have the ledger write the accepted triplets and their manifest, without those that the evaluation asks about."""


@dataclass(frozen=True)
class RunJob:
    """Start a job."""

    job: Job
    attempt: int = 0
    """From 0; an attempt above 0 resumes."""


@dataclass(frozen=True)
class CancelJob:
    """Stop a job."""

    job: Job


@dataclass(frozen=True)
class RecordArtifact:
    """Tell the ledger what a job made, for lineage."""

    job: Job


@dataclass(frozen=True)
class ServeModel:
    """Serve a model."""

    side: Side


@dataclass(frozen=True)
class StopServing:
    """Stop serving a model."""

    side: Side


Step = RequestSeeds | SealDataset | RunJob | CancelJob | RecordArtifact | ServeModel | StopServing


@dataclass(frozen=True)
class Event:
    """Something worth telling a person once."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


@dataclass(frozen=True)
class Plan:
    """What is to be done next. The status is stored before the steps are carried out."""

    steps: tuple[Step, ...]
    status: AlignmentRunStatus
    events: tuple[Event, ...] = ()
    requeue: timedelta | None = None
    """When to look again; None: only when something changes."""
