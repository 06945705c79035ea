"""Floors and ceilings: a level or a change that no stratum, or not the whole, may cross."""

from __future__ import annotations

from math import isfinite

from gyeol.gate import rule
from gyeol.gate.finding import Context, Finding, StratumFinding
from gyeol.gate.number import by_stratum
from gyeol.gate.sentence import Reason
from gyeol.gate.series import Series


def limit_finding(
    criterion: rule.Floor | rule.Ceiling, series: Series, measured: Series, overall: StratumFinding, context: Context
) -> Finding:
    """A floor or a ceiling, of the suite as a whole or of every stratum."""
    floor = isinstance(criterion, rule.Floor)
    strata = by_stratum(measured, context, lowest_first=floor) if criterion.per_stratum else ()
    held = strata or (overall,)
    threshold = float(criterion.threshold)
    absent = sorted(set(series.strata) - {found.stratum for found in strata}) if criterion.per_stratum else []
    worst = held[0]
    number = worst.candidate if criterion.of == "level" else worst.change
    shown = {
        "stratum": worst.stratum, "value": number.estimate, "low": number.low, "high": number.high, "n": number.n,
        "threshold": threshold, "of": criterion.of, "minimum": criterion.minimum_items,
    }  # fmt: skip
    values = [found.candidate if criterion.of == "level" else found.change for found in held]
    if any(
        isfinite(value.estimate) and (value.estimate < threshold if floor else value.estimate > threshold)
        for value in values
    ):
        return Finding(criterion, "Fail", Reason("below-floor" if floor else "above-ceiling", **shown), overall, strata)
    if absent:
        return Finding(criterion, "Inconclusive", Reason("unmeasured-strata", names=", ".join(absent)), overall, strata)
    few = min(values, key=lambda value: value.n)
    if few.n < criterion.minimum_items:
        name = held[values.index(few)].stratum
        return Finding(
            criterion, "Inconclusive", Reason("too-few", **{**shown, "stratum": name, "n": few.n}), overall, strata
        )
    if criterion.bound == "interval":
        limits = [value.low if floor else value.high for value in values]
        if not all(isfinite(limit) for limit in limits):
            return Finding(criterion, "Inconclusive", Reason("no-interval", **shown), overall, strata)
        if any(limit < threshold if floor else limit > threshold for limit in limits):
            return Finding(criterion, "Inconclusive", Reason("not-surely-within", **shown), overall, strata)
    elif not all(isfinite(value.estimate) for value in values):
        return Finding(criterion, "Inconclusive", Reason("no-interval", **shown), overall, strata)
    return Finding(criterion, "Pass", Reason("above-floor" if floor else "below-ceiling", **shown), overall, strata)
