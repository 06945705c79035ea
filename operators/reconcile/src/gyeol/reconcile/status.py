"""What is known about a run: small, bounded, and written only when it changes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gyeol.reconcile.condition import Condition
from gyeol.reconcile.quantity import Count
from gyeol.reconcile.schema import Described

State = Literal[
    "Pending",
    "Gathering",
    "AwaitingReview",
    "Sealing",
    "Checking",
    "Training",
    "Evaluating",
    "Gating",
    "Promoting",
    "Suspended",
    "Blocked",
    "Succeeded",
    "Failed",
]


class PinnedCulture(Described):
    """The culture pack the run is bound to."""

    name: str
    """Pack, for example `ko-KR`."""
    digest: str
    """Digest of the pack, pinned when the run began."""
    law_as_of: str
    """Date on which citations must be in force."""


class StratumStatus(Described):
    """How far one stratum is."""

    name: str
    """Stratum, for example `I` or `I+benign`."""
    target: Count
    """Accepted triplets wanted."""
    accepted: Count = 0
    """Accepted triplets."""
    inputs: Count = 0
    """Seeds that reached the ledger, refused ones included."""
    requested: Count = 0
    """Seeds asked for so far. Written before they are asked for, so that no wave is counted twice."""


class DataStatus(Described):
    """How far the data is."""

    accepted: Count = 0
    """Accepted triplets."""
    target: Count = 0
    """Accepted triplets wanted."""
    strata: Annotated[tuple[StratumStatus, ...], Field(max_length=64)] = ()
    """Every stratum."""
    moves: Count = 0
    """Sum of all stage counters when they last moved."""
    moved_at: str = ""
    """When the stage counters last moved, RFC 3339."""
    redrives: Count = 0
    """How often seeds were asked for again since the counters last moved."""
    forgiven: Count = 0
    """Failed records that no longer count against the run, because it was told to try again."""


class DatasetStatus(Described):
    """The sealed dataset."""

    digest: str
    """Merkle root over its rows."""
    rows: Count
    """Triplets."""
    benign_rows: Count = 0
    """Benign ones among them."""
    location: str = ""
    """Folder or object-store address."""


class ModelStatus(Described):
    """A model by what it is, not by its name."""

    digest: str
    """Digest of its weights."""
    location: str = ""
    """Folder or object-store address."""


class JobStatus(Described):
    """One job of the run on a cluster: what a hand must still know when the objects it made are gone."""

    name: Annotated[str, Field(max_length=63)]
    """Job, for example `train`."""
    attempt: Count = 0
    """Newest attempt, from 0."""
    first: Count = 0
    """Attempts before a person started the run again; they no longer count."""
    uid: str = ""
    """UID of the object made for the attempt, written once it is seen."""
    state: Literal["Started", "Done", "Failed", "Refused", "Forgiven"] = "Started"
    """Where the attempt is; `Done` once a witness has verified what it left, `Forgiven` when a person started the run again."""
    message: Annotated[str, Field(max_length=1024)] = ""
    """Why it failed."""
    digest: str = ""
    """Digest of what it made."""
    location: str = ""
    """Where what it made lies."""
    verdict: str = ""
    """Verdict, of the gate."""
    summary: Annotated[str, Field(max_length=1024)] = ""
    """What it found, for people."""
    started_at: str = ""
    """When the object was made, RFC 3339."""
    ended_at: str = ""
    """When it ended, RFC 3339."""


class Metric(Described):
    """The newest point of one training curve."""

    name: Annotated[str, Field(max_length=64)]
    """Metric, for example `rewards/margins`."""
    value: str
    """Value, a decimal string."""
    step: Count
    """Step it belongs to."""


class AlignmentRunStatus(Described):
    """Status of an AlignmentRun."""

    observed_generation: Count = 0
    """Generation of the specification this status describes."""
    run_id: str = ""
    """Name and short hash of the specification: the key of everything made by the run."""
    state: State = "Pending"
    """What the run is doing."""
    reason: str = ""
    """One word why."""
    progress: str = ""
    """For people, for example `43/100 triplets`."""
    culture: PinnedCulture | None = None
    """The culture pack the run is bound to."""
    baseline: ModelStatus | None = None
    """The base model the run is bound to."""
    data: DataStatus = DataStatus()
    """How far the data is."""
    dataset: DatasetStatus | None = None
    """The sealed dataset."""
    candidate: ModelStatus | None = None
    """The trained model."""
    jobs: Annotated[tuple[JobStatus, ...], Field(max_length=16)] = ()
    """Jobs, on a cluster."""
    metrics: Annotated[tuple[Metric, ...], Field(max_length=16)] = ()
    """Newest training metrics."""
    retried: str = ""
    """The value of the annotation `gyeol.dev/retry` that was acted on last."""
    verdict: Literal["", "Pass", "Fail", "Inconclusive"] = ""
    """Verdict of the gate."""
    conditions: Annotated[tuple[Condition, ...], Field(max_length=16)] = ()
    """Milestones."""
