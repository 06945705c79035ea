"""The five kinds of criteria that a gate policy may hold.

Every threshold and every direction is written down by the owner of the policy; none has a default.
Numbers are decimal strings, because a policy travels through YAML, JSON and Kubernetes objects and must not change on the way.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel


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


class Part(BaseModel):
    """A part of a policy document: camelCase names, nothing unknown, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)


class _Criterion(Part):
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
