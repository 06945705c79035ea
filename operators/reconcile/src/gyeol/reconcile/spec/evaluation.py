"""How the result is measured, judged and released."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from gyeol.reconcile.quantity import Name
from gyeol.reconcile.schema import Described
from gyeol.reconcile.spec.training import NodeSelector, Resources, Toleration


class Suite(Described):
    """One suite of evaluation items."""

    name: Name
    """Name of the suite, for example `cultural-safety`."""
    data: Annotated[str, Field(max_length=1024)] = ""
    """Address of the data for suites that the user brings, for example `file:///data/k-culture.json`."""
    items: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Items to draw; absent: as many as the suite says. Baseline and candidate get the same ones.

    The bound is the one of the program that evaluates: public suites are larger than one would think (KMMLU asks 35,030 questions).
    """


class Evaluation(Described):
    """What both models are measured on."""

    suites: Annotated[tuple[Suite, ...], Field(min_length=1, max_length=32)]
    """Suites, each run on the baseline and on the candidate."""
    resources: Resources = Resources()
    """Resources of each evaluation pod."""
    node_selector: NodeSelector = Field(default_factory=dict)
    """Labels of the nodes to evaluate on."""
    tolerations: Annotated[tuple[Toleration, ...], Field(max_length=16)] = ()
    """Taints of the nodes to evaluate on."""
    active_deadline_seconds: Annotated[int, Field(ge=60, le=2592000)] = 86400
    """Seconds after which an evaluation is stopped and counts as failed."""

    @model_validator(mode="after")
    def _distinct(self) -> Evaluation:
        names = [suite.name for suite in self.suites]
        if len(set(names)) != len(names):
            raise ValueError("suites names the same suite twice; name each once")
        return self


class Serving(Described):
    """How models are served while a run measures them."""

    runtime: Literal["Auto", "Predictor", "HuggingFace"] = "Auto"
    """`HuggingFace` is KServe's vLLM runtime for GPUs, `Predictor` is Gyeol's own; `Auto` takes the first when `resources` names a GPU."""
    resources: Resources = Resources()
    """Resources of each server."""
    node_selector: NodeSelector = Field(default_factory=dict)
    """Labels of the nodes to serve on."""
    tolerations: Annotated[tuple[Toleration, ...], Field(max_length=16)] = ()
    """Taints of the nodes to serve on."""


class PolicyReference(Described):
    """Names the gate policy."""

    name: Name
    """Gate policy: thresholds and directions are stated there and have no defaults."""


class Gate(Described):
    """Which evidence the candidate must bring."""

    policy_ref: PolicyReference
    """Gate policy."""


class Promotion(Described):
    """Where a candidate that passes the gate goes."""

    environment: Name
    """Environment of the delivery repository, for example `staging`."""
    strategy: Literal["PullRequest", "Direct"]
    """`PullRequest` waits for a person; `Direct` commits."""
