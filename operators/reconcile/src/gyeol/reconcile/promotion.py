"""ModelPromotion: one model to one environment, step by step, with a way back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from gyeol.reconcile.condition import Condition
from gyeol.reconcile.quantity import Count, Digest, ModelAddress, Name, PositiveInt
from gyeol.reconcile.schema import Described, Metadata


class PromotedModel(Described):
    """The model to promote."""

    uri: ModelAddress
    """Address of the weights as the serving runtime loads them."""
    digest: Annotated[Digest, Field(min_length=1)]
    """Digest of the weights; what is served must answer with the same."""
    run: str = ""
    """AlignmentRun that made it; empty for a model from elsewhere."""


class Evidence(Described):
    """What the promotion rests on."""

    verdict_digest: Annotated[Digest, Field(min_length=1)]
    """Digest of the gate verdict. The newest one for the same model and policy counts."""
    policy: Name
    """Gate policy the verdict was given under."""


class CanaryStep(Described):
    """One step of a canary."""

    percent: Annotated[int, Field(ge=1, le=100)]
    """Share of the traffic in percent."""
    hold_seconds: PositiveInt
    """How long it is held before the next step."""


class Canary(Described):
    """How traffic moves to the new model."""

    steps: Annotated[tuple[CanaryStep, ...], Field(min_length=1, max_length=16)]
    """Steps; the last one is 100 percent."""

    @model_validator(mode="after")
    def _rising_to_all(self) -> Canary:
        shares = [step.percent for step in self.steps]
        if shares != sorted(set(shares)) or shares[-1] != 100:
            raise ValueError("steps do not rise to 100 percent; order them by percent and end with 100")
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
    canary: Canary | None = None
    """How traffic moves; absent: at once."""
    rollback: bool = False
    """Set to true to go back to the model that was served before."""


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
    previous: str = ""
    """Digest of the model that was served before."""
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
