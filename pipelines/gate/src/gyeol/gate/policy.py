"""Gate policies: what must hold before a model may be promoted."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from typing import Annotated, Literal

from pydantic import Field, model_validator

from gyeol.gate.rule import Criterion, Number, Part


class SelfTest(Part):
    """The world in which `gyeol gate check` tries the policy out."""

    items: Annotated[int, Field(ge=1)]
    """Items per suite."""
    items_per_cluster: Annotated[int, Field(ge=1)]
    """Items that share a mold."""
    rates: dict[str, Number]
    """Mean of each `suite/metric` under the baseline."""
    discordance: Number
    """Share of items whose outcome differs between two runs of the same model, 0 to 1."""


class Spec(Part):
    alpha: Number
    """Probability of a false pass that is accepted, over all tested criteria together (Holm)."""
    power: Number
    """Probability with which the smallest effect of interest must be seen, for example 0.80."""
    expires: dt.date
    """From this day on the policy yields no pass: thresholds are to be reviewed."""
    judge_correction: Literal["Required", "Reported", "None"]
    """Whether rates measured by judges are corrected for the judges' known errors (Rogan and Gladen 1978)."""
    criteria: Annotated[list[Criterion], Field(min_length=1, max_length=64)]
    self_test: SelfTest

    @model_validator(mode="after")
    def _is_usable(self) -> Spec:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha {self.alpha} must lie between 0 and 1")
        if not 0 < self.power < 1:
            raise ValueError(f"power {self.power} must lie between 0 and 1")
        names = [criterion.name for criterion in self.criteria]
        if len(set(names)) != len(names):
            raise ValueError(f"criterion names must be distinct: {', '.join(sorted(names))}")
        kinds = {criterion.kind for criterion in self.criteria}
        if "superiority" not in kinds:
            raise ValueError(
                "add at least one criterion of kind superiority: a gate without one would pass an unchanged model"
            )
        if "coverage" not in kinds:
            raise ValueError(
                "add a criterion of kind coverage: without one, dropping hard items would raise every rate"
            )
        return self


class Metadata(Part):
    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=63)]


class GatePolicy(Part):
    api_version: Literal["gyeol.dev/v1alpha1"]
    kind: Literal["GatePolicy"]
    metadata: Metadata
    spec: Spec

    @property
    def digest(self) -> str:
        """`sha256:<hex>` over the canonical JSON of the policy."""
        content = json.dumps(
            self.model_dump(mode="json", by_alias=True), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        return "sha256:" + hashlib.sha256(content.encode()).hexdigest()
