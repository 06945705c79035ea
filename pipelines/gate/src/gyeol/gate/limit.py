"""Floors and ceilings: a level or a change that no stratum, or not the whole, may cross."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from gyeol.gate import rule
from gyeol.gate.finding import Context, Finding, Result, StratumFinding
from gyeol.gate.interval import Interval
from gyeol.gate.number import by_stratum
from gyeol.gate.sentence import Reason
from gyeol.gate.series import Series

Held = tuple[str, Interval]
"""A stratum (empty: the whole) with the number that is held to the threshold."""


def limit_finding(
    criterion: rule.Floor | rule.Ceiling, series: Series, measured: Series, overall: StratumFinding, context: Context
) -> Finding:
    """A floor or a ceiling, of the suite as a whole or of every stratum.

    Only a stratum with enough items can fail; one with too few makes the criterion inconclusive.
    """
    floor = isinstance(criterion, rule.Floor)
    strata = by_stratum(measured, context, lowest_first=floor) if criterion.per_stratum else ()
    held: list[Held] = [
        (found.stratum, found.candidate if criterion.of == "level" else found.change) for found in strata or (overall,)
    ]
    enough = [one for one in held if one[1].n >= criterion.minimum_items and isfinite(one[1].estimate)]
    threshold = float(criterion.threshold)

    def crossed(value: float) -> bool:
        return value < threshold if floor else value > threshold

    def worst(ones: list[Held], value: Callable[[Interval], float]) -> Held:
        return (min if floor else max)(ones, key=lambda one: value(one[1]))

    def found(result: Result, code: str, one: Held) -> Finding:
        stratum, number = one
        reason = Reason(
            code,
            stratum=stratum,
            value=number.estimate,
            low=number.low,
            high=number.high,
            n=number.n,
            threshold=threshold,
            of=criterion.of,
            minimum=criterion.minimum_items,
        )
        return Finding(criterion, result, reason, overall, strata)

    if enough and crossed(worst(enough, lambda value: value.estimate)[1].estimate):
        return found("Fail", "below-floor" if floor else "above-ceiling", worst(enough, lambda value: value.estimate))
    absent = sorted(set(series.strata) - {one.stratum for one in strata}) if criterion.per_stratum else []
    if absent:
        return Finding(criterion, "Inconclusive", Reason("unmeasured-strata", names=", ".join(absent)), overall, strata)
    few = min(held, key=lambda one: one[1].n)
    if few[1].n < criterion.minimum_items:
        return found("Inconclusive", "too-few", few)
    if len(enough) < len(held):
        return found("Inconclusive", "no-interval", few)
    if criterion.bound == "interval":
        if not all(isfinite(value.low) and isfinite(value.high) for _, value in held):
            return found("Inconclusive", "no-interval", few)
        nearest = worst(held, lambda value: value.low if floor else value.high)
        if crossed(nearest[1].low if floor else nearest[1].high):
            return found("Inconclusive", "not-surely-within", nearest)
    return found("Pass", "above-floor" if floor else "below-ceiling", worst(held, lambda value: value.estimate))
