"""What a hand sees: the world of one run, frozen.

Hands fill these values in from processes and files, or from Kubernetes objects; `decide` reads nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from gyeol.reconcile.fault import Fault

K = TypeVar("K")
V = TypeVar("V")


def nothing() -> Mapping[K, V]:
    return MappingProxyType({})


class Side(StrEnum):
    """Which of the two models."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"


class Job(StrEnum):
    """Work that runs to completion."""

    WEIGHTS = "weights"
    PREFLIGHT = "preflight"
    TRAIN = "train"
    EVALUATE_BASELINE = "evaluate-baseline"
    EVALUATE_CANDIDATE = "evaluate-candidate"
    GATE = "gate"
    PROMOTE = "promote"


EVALUATION: Mapping[Side, Job] = MappingProxyType(
    {Side.BASELINE: Job.EVALUATE_BASELINE, Side.CANDIDATE: Job.EVALUATE_CANDIDATE}
)

EVALUATIONS = frozenset(EVALUATION.values())


class JobState(StrEnum):
    """Where a job is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    """It ended because its input is bad: trying again cannot help."""


@dataclass(frozen=True)
class JobSeen:
    """One job, its newest attempt."""

    state: JobState
    """Where it is. `DONE` means that its manifest is there and verified, whatever its exit status was."""
    attempt: int = 0
    """From 0."""
    message: str = ""
    """Why it failed, with the remedy when there is one."""
    started_at: datetime | None = None
    """When it began."""
    ended_at: datetime | None = None
    """When it ended."""
    digest: str = ""
    """Digest of what it made: of the weights, the outcomes or the verdict."""
    location: str = ""
    """Where what it made lies."""
    verdict: str = ""
    """`Pass`, `Fail` or `Inconclusive`: of the gate only."""
    summary: str = ""
    """A sentence for people about what it found."""


class Serving(StrEnum):
    """Where the server of a model is."""

    ABSENT = "absent"
    STARTING = "starting"
    READY = "ready"
    """It answers, and with the digest it should have."""


@dataclass(frozen=True)
class PackSeen:
    """The culture pack as the policy service has it."""

    name: str
    digest: str
    law_as_of: str
    domains: Mapping[str, tuple[str, ...]]
    """Categories by domain: `I` -> `A`, `B`, ..."""


@dataclass(frozen=True)
class StratumSeen:
    """The books of one stratum."""

    inputs: int = 0
    """Seeds that reached the ledger, refused ones included."""
    accepted: int = 0
    drops: int = 0
    failures: int = 0
    pending: int = 0
    """Seeds on their way."""


@dataclass(frozen=True)
class AccountSeen:
    """The books of the run."""

    strata: Mapping[str, StratumSeen] = field(default_factory=nothing)
    moves: int = 0
    """Sum of all stage counters: it changes whenever anything moved."""
    tokens: int = 0
    money: str = "0"


@dataclass(frozen=True)
class DatasetSeen:
    """The sealed dataset, verified."""

    digest: str
    rows: int
    benign_rows: int = 0
    location: str = ""


class Quota(StrEnum):
    """Whether the machines are there."""

    NOT_QUEUED = "not-queued"
    """No queue is involved."""
    WAITING = "waiting"
    RESERVED = "reserved"


@dataclass(frozen=True)
class Seen:
    """The world of one run."""

    pack: PackSeen | None = None
    """None: the policy service has no such pack."""
    faults: tuple[Fault, ...] = ()
    """What the run names and nobody has. Only looked for until the run is bound to a pack: it has not begun."""
    capacity: Mapping[str, int] = field(default_factory=nothing)
    """Distinct training seeds each stratum can give, by stratum name."""
    account: AccountSeen = field(default_factory=AccountSeen)
    reviews_waiting: int = 0
    """Triplets that `spec.data.review` puts before a person and that nobody has reviewed."""
    review_at: str = ""
    """Where reviews are made, for the message."""
    dataset: DatasetSeen | None = None
    jobs: Mapping[Job, JobSeen] = field(default_factory=nothing)
    serving: Mapping[Side, Serving] = field(default_factory=nothing)
    serving_since: Mapping[Side, datetime] = field(default_factory=nothing)
    """When the server of each model was made, where that is known."""
    unservable: Mapping[Side, str] = field(default_factory=nothing)
    """Why no server could be made."""
    recorded: frozenset[Job] = frozenset()
    """Jobs whose results the ledger knows."""
    quota: Quota = Quota.NOT_QUEUED
    retry: bool = False
    """True once, when a person starts the run again: what failed or got lost is asked for again."""
    resumed: bool = False
    """True when the hand does not know that its last plan was carried out to the end: it has just started, or something failed on the way."""
    exclusive: bool = False
    """True where an engine and a trainer must not run at once: they share the machine."""
