"""Whether measured values hold. A value that is missing or not a finite number never does."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from gyeol.reconcile.promotion import Analysis, Measured


def measured(wanted: tuple[Analysis, ...], values: Mapping[str, str]) -> tuple[Measured, ...]:
    """Each wanted metric with its value and whether it is on the good side of its threshold."""
    return tuple(_one(one, values.get(one.metric, "")) for one in wanted)


def _one(wanted: Analysis, text: str) -> Measured:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return Measured(metric=wanted.metric, value="", holds=False)
    if not value.is_finite():
        return Measured(metric=wanted.metric, value="", holds=False)
    threshold = Decimal(wanted.threshold)
    holds = value >= threshold if wanted.direction == "AtLeast" else value <= threshold
    return Measured(metric=wanted.metric, value=text, holds=holds)


def told(found: tuple[Measured, ...], wanted: tuple[Analysis, ...]) -> str:
    """The values in a sentence."""
    sides = {"AtLeast": "at least", "AtMost": "at most"}
    return "; ".join(
        f"{one.metric} {one.value or 'was not measured'} ({sides[rule.direction]} {rule.threshold} is needed)"
        for one, rule in zip(found, wanted, strict=True)
    )
