"""How the result is measured, judged and released."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from gyeol.reconcile.quantity import Name
from gyeol.reconcile.schema import Described


class Suite(Described):
    """One suite of evaluation items."""

    name: Name
    """Name of the suite, for example `cultural-safety`."""
    data: Annotated[str, Field(max_length=1024)] = ""
    """Address of the data for suites that the user brings, for example `file:///data/k-culture.json`."""
    items: Annotated[int, Field(ge=1, le=5000)] | None = None
    """Items to draw; absent: as many as the suite says. Baseline and candidate get the same ones."""


class Evaluation(Described):
    """What both models are measured on."""

    suites: Annotated[tuple[Suite, ...], Field(min_length=1, max_length=32)]
    """Suites, each run on the baseline and on the candidate."""

    @model_validator(mode="after")
    def _distinct(self) -> Evaluation:
        names = [suite.name for suite in self.suites]
        if len(set(names)) != len(names):
            raise ValueError("suites names the same suite twice; name each once")
        return self


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
