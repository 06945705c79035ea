"""What is seen of a promotion: its evidence, the cluster's way of splitting traffic, the service, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gyeol.reconcile.manifest.site import Delivery
from gyeol.reconcile.seen import JobSeen


@dataclass(frozen=True)
class EvidenceSeen:
    """Whether the newest verdict about the model under the policy lets it pass."""

    holds: bool
    reason: str = "Holds"
    message: str = ""


@dataclass(frozen=True)
class ServiceSeen:
    """The InferenceService of the environment."""

    digest: str = ""
    """Model of the whole service, as its object says."""
    uri: str = ""
    share: int = 0
    """Share of the traffic in percent that the object gives the new model beside the old one; 0: no canary."""
    share_digest: str = ""
    """Model of the canary, as the object says."""
    confirmed: int | None = None
    """Share that the status says the new model really gets, once it is ready; None: the status does not say."""
    serves: str = ""
    """Digest of the model that answers for the whole service, asked and found right; empty: not known to be right."""


@dataclass(frozen=True)
class RolloutSeen:
    """The world of one promotion."""

    evidence: EvidenceSeen
    delivery: Delivery = field(default_factory=Delivery)
    installed: bool = True
    """Whether the cluster has InferenceServices at all."""
    service: ServiceSeen | None = None
    proposal: JobSeen | None = None
    """The job that proposes the change."""
    commit: str = ""
    pull_request: str = ""
    revert: JobSeen | None = None
    """The job that proposes the way back."""
    undone: str = ""
    """How that ended, in a word: `Withdrawn`, `Opened`, ..."""
    analysis: JobSeen | None = None
    """The analysis of the step being held, its newest attempt."""
    values: Mapping[str, str] = field(default_factory=dict)
    """What it measured: decimal strings by metric."""


@dataclass(frozen=True)
class ServeWhole:
    """Give one model all of the traffic."""

    which: Literal["new", "previous"]


@dataclass(frozen=True)
class ServeShare:
    """Give the new model a share of the traffic."""

    percent: int


@dataclass(frozen=True)
class Analyse:
    """Measure the new model alone."""

    step: int
    attempt: int


@dataclass(frozen=True)
class Propose:
    """Have the change proposed in the delivery repository."""

    attempt: int


@dataclass(frozen=True)
class Revert:
    """Have the way back proposed in the delivery repository."""

    attempt: int
    why: str


RolloutStep = ServeWhole | ServeShare | Analyse | Propose | Revert
