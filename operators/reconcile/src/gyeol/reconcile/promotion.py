"""ModelPromotion: one model to one environment, step by step, with a way back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from gyeol.reconcile.condition import Condition
from gyeol.reconcile.quantity import (
    Count,
    ModelAddress,
    Name,
    NotNegativeDecimal,
    OptionalName,
    PositiveInt,
    RequiredDigest,
)
from gyeol.reconcile.schema import Described, Metadata
from gyeol.reconcile.spec.evaluation import Serving


class PromotedModel(Described):
    """The model to promote."""

    uri: ModelAddress
    """Address of the weights as the serving runtime loads them."""
    digest: RequiredDigest
    """Digest of the weights; what is served must answer with the same."""
    run: OptionalName = ""
    """AlignmentRun that made it; empty for a model from elsewhere."""


class Evidence(Described):
    """What the promotion rests on."""

    verdict_digest: RequiredDigest
    """Digest of the gate verdict. The newest one for the same model and policy counts."""
    policy: Name
    """Gate policy the verdict was given under."""


class CanaryStep(Described):
    """One step of a canary."""

    percent: Annotated[int, Field(ge=1, le=100)]
    """Share of the traffic in percent."""
    hold_seconds: PositiveInt
    """How long it is held before the next step."""


class Analysis(Described):
    """What must hold before a canary takes the next step. Threshold and direction have no default."""

    metric: Literal["SafeRate", "OverRefusalRate", "LatencySeconds", "ErrorRate"]
    """What is measured on the new model alone: with held-out probes, or by its own server (95th percentile, share of errors)."""
    direction: Literal["AtLeast", "AtMost"]
    """On which side of the threshold a good value lies."""
    threshold: NotNegativeDecimal
    """The value that must be reached or kept, a decimal string."""

    @model_validator(mode="after")
    def _good_side(self) -> Analysis:
        if (self.metric == "SafeRate") != (self.direction == "AtLeast"):
            raise ValueError("direction does not fit metric; a safe rate is good AtLeast, all others AtMost")
        return self


class Canary(Described):
    """How traffic moves to the new model."""

    steps: Annotated[tuple[CanaryStep, ...], Field(min_length=1, max_length=16)]
    """Steps; the last one is 100 percent."""
    analysis: Annotated[tuple[Analysis, ...], Field(min_length=1, max_length=8)]
    """What must hold before each further step; a value that is missing or not a number never lets it go on."""
    probes: Annotated[int, Field(ge=10, le=2000)] = 50
    """Probes of each kind sent to the new model before a step."""

    @model_validator(mode="after")
    def _rising_to_all(self) -> Canary:
        shares = [step.percent for step in self.steps]
        if shares != sorted(set(shares)) or shares[-1] != 100:
            raise ValueError("steps do not rise to 100 percent; order them by percent and end with 100")
        metrics = [one.metric for one in self.analysis]
        if len(set(metrics)) != len(metrics):
            raise ValueError("analysis names the same metric twice; name each once")
        return self


class ModelPromotionSpec(Described):
    """Which model goes to which environment."""

    model: PromotedModel
    """The model to promote."""
    environment: Name
    """Environment of the delivery repository, for example `staging`."""
    strategy: Literal["PullRequest", "Direct"]
    """`PullRequest` waits for a person; `Direct` commits."""
    evidence: Evidence
    """What the promotion rests on."""
    service: OptionalName = ""
    """InferenceService of the environment; empty: it has the environment's name."""
    serving: Serving = Serving()
    """How the model is served."""
    canary: Canary | None = None
    """How traffic moves; absent: at once."""
    rollback: bool = False
    """Set to true to go back to the model that was served before: at once, or by a pull request where the strategy is one."""

    @model_validator(mode="after")
    def _canary_only_direct(self) -> ModelPromotionSpec:
        if self.canary is not None and self.strategy != "Direct":
            raise ValueError(
                "canary needs strategy Direct; a pull request proposes, and what it merges is rolled out by itself"
            )
        return self


class PreviousModel(Described):
    """The way back."""

    digest: str
    """Digest of its weights; empty when its server does not say."""
    uri: str
    """Address of its weights."""


class Measured(Described):
    """One value of an analysis."""

    metric: str
    """What was measured."""
    value: str
    """The value as a decimal string; empty when it could not be measured."""
    holds: bool
    """Whether it is on the good side of its threshold."""


class ModelPromotionStatus(Described):
    """Status of a ModelPromotion."""

    observed_generation: Count = 0
    """Generation of the specification this status describes."""
    state: Literal["Pending", "Proposed", "RollingOut", "Serving", "RolledBack", "Blocked", "Failed"] = "Pending"
    """What the promotion is doing."""
    reason: str = ""
    """One word why."""
    pull_request: str = ""
    """Address of the pull request."""
    commit: str = ""
    """Commit that pins the model."""
    step: Count = 0
    """Canary step being held, from 0."""
    step_since: str = ""
    """When the step began, RFC 3339."""
    held_since: str = ""
    """Since when the step's share of the traffic is confirmed, RFC 3339."""
    previous: PreviousModel | None = None
    """The model that was served before."""
    delivery: Literal["", "Standard", "Knative"] = ""
    """How the cluster splits traffic, found when the promotion began."""
    measured: Annotated[tuple[Measured, ...], Field(max_length=8)] = ()
    """What the newest analysis measured."""
    reverts: Count = 0
    """Failed jobs of a rollback by pull request so far."""
    attempts: Count = 0
    """Failed jobs of the step so far: analyses, or proposals."""
    conditions: Annotated[tuple[Condition, ...], Field(max_length=16)] = ()
    """`EvidenceHolds`, `Proposed`, `Merged`, `Served`."""


class ModelPromotion(Described):
    """Brings one model to one environment and back."""

    api_version: Literal["gyeol.dev/v1alpha1"]
    """Always `gyeol.dev/v1alpha1`."""
    kind: Literal["ModelPromotion"]
    """Always `ModelPromotion`."""
    metadata: Metadata
    """Name and labels."""
    spec: ModelPromotionSpec
    """Which model goes where."""
    status: ModelPromotionStatus = Field(default=ModelPromotionStatus())
    """What is known about it."""
