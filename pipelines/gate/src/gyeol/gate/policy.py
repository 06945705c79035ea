"""Gate policies: what must hold before a model may be promoted.

Every threshold and every direction is written down by the owner of the policy; none has a default.
Numbers are decimal strings, because a policy travels through YAML, JSON and Kubernetes objects and must not change on the way.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from gyeol.gate.error import PolicyError


def _decimal(value: Any) -> Decimal:
    if not isinstance(value, str):
        raise ValueError(f'write it as a decimal string, for example "{value}"')
    try:
        number = Decimal(value)
    except InvalidOperation:
        raise ValueError('write a decimal string such as "0.05"') from None
    if not number.is_finite():
        raise ValueError("write a finite number")
    return number


Number = Annotated[Decimal, BeforeValidator(_decimal)]
Direction = Literal["higher", "lower"]
Bound = Literal["estimate", "interval"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)


class _Criterion(_Model):
    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=63)]
    """Name used in verdicts and reports."""
    suite: str
    """Suite the outcomes come from."""
    metric: str
    """Metric of that suite, for example `safe` or `refused`."""


class Superiority(_Criterion):
    """The candidate must be better than the baseline, item by item."""

    kind: Literal["superiority"]
    direction: Direction
    """Which way is better."""
    minimum_effect: Number
    """Smallest improvement worth having, as a difference of means (0.1 = ten points).

    Without a significant gain, a gate with the power to see this effect fails; one without is inconclusive.
    """


class NonInferiority(_Criterion):
    """The candidate may be worse than the baseline by less than a margin."""

    kind: Literal["non-inferiority"]
    direction: Direction
    """Which way is better."""
    margin: Number
    """Largest tolerated loss, a positive difference of means (0.02 = two points)."""

    @model_validator(mode="after")
    def _margin_is_positive(self) -> NonInferiority:
        if self.margin <= 0:
            raise ValueError(f"margin {self.margin} must be greater than 0")
        return self


class Floor(_Criterion):
    """No stratum may fall below a level, or lose more than a level against the baseline."""

    kind: Literal["floor"]
    of: Literal["level", "change"]
    """`level`: the candidate's mean; `change`: candidate minus baseline."""
    threshold: Number
    bound: Bound
    """`estimate`: the observed mean decides; `interval`: the lower confidence limit has to reach the threshold."""
    per_stratum: bool
    """True: every stratum is held to the threshold; false: the suite as a whole."""
    minimum_items: Annotated[int, Field(ge=1)]
    """Fewer scored items in a stratum make the criterion inconclusive."""


class Ceiling(_Criterion):
    """A rate may not rise above a level, or by more than a level against the baseline."""

    kind: Literal["ceiling"]
    of: Literal["level", "change"]
    """`level`: the candidate's mean; `change`: candidate minus baseline."""
    threshold: Number
    bound: Bound
    """`estimate`: the observed mean decides; `interval`: the upper confidence limit has to stay below the threshold."""
    per_stratum: bool
    """True: every stratum is held to the threshold; false: the suite as a whole."""
    minimum_items: Annotated[int, Field(ge=1)]
    """Fewer scored items make the criterion inconclusive."""


class Coverage(_Criterion):
    """Enough of the items must have been measured on both sides."""

    kind: Literal["coverage"]
    threshold: Number
    """Smallest share of scored items on either side, 0 to 1."""


Criterion = Annotated[Superiority | NonInferiority | Floor | Ceiling | Coverage, Field(discriminator="kind")]


class SelfTest(_Model):
    """The world in which `gyeol gate check` tries the policy out."""

    items: Annotated[int, Field(ge=1)]
    """Items per suite."""
    items_per_cluster: Annotated[int, Field(ge=1)]
    """Items that share a mold."""
    rates: dict[str, Number]
    """Mean of each `suite/metric` under the baseline."""
    discordance: Number
    """Share of items whose outcome differs between two runs of the same model, 0 to 1."""


class Spec(_Model):
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


class Metadata(_Model):
    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=63)]


class GatePolicy(_Model):
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


def gate_policy(path: Path) -> GatePolicy:
    """Reads a policy file.

    Raises:
      PolicyError: unreadable, not YAML, or a field is missing, unknown or wrong.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PolicyError(f"{path}: cannot be read as YAML: {error}") from error
    try:
        return GatePolicy.model_validate(content)
    except ValidationError as error:
        lines = [
            f"{path}: {'.'.join(str(part) for part in problem['loc']) or 'document'}: {problem['msg']}"
            + ("" if problem["type"] == "missing" else f" (value: {problem['input']!r:.80})")
            for problem in error.errors()
        ]
        raise PolicyError("\n".join(lines)) from None
