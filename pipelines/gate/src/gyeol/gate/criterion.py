"""One criterion against one series of paired outcomes: Pass, Fail or Inconclusive, with the numbers and a sentence.

What has to be shown is shown positively: missing, too few or non-finite numbers end as Inconclusive, never as Pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Literal

import numpy as np

from gyeol.gate import policy as rules
from gyeol.gate.correction import JudgeError, rogan_gladen
from gyeol.gate.evidence import Series
from gyeol.gate.interval import Interval, bootstrap, wilson
from gyeol.gate.paired import mcnemar_p, mcnemar_two_sided, sign_flip_p
from gyeol.gate.power import effective_items, minimal_detectable_effect, power
from gyeol.gate.sentence import Reason

Result = Literal["Pass", "Fail", "Inconclusive"]


@dataclass(frozen=True)
class StratumFinding:
    """Numbers of one stratum; `stratum` is empty for the suite as a whole."""

    stratum: str
    baseline: Interval
    candidate: Interval
    change: Interval
    """Candidate minus baseline."""


@dataclass(frozen=True)
class Finding:
    """What one criterion came to."""

    criterion: rules.Criterion
    result: Result
    reason: Reason
    overall: StratumFinding | None = None
    strata: tuple[StratumFinding, ...] = ()
    """Worst stratum first."""
    p: float | None = None
    adjusted_p: float | None = None
    mcnemar_p: float | None = None
    """Two-sided exact McNemar p of a binary metric, clusters ignored: for comparison with other reports."""
    effective_items: float | None = None
    power: float | None = None
    """Probability with which the smallest effect of interest is seen, under the policy's discordance."""
    minimal_detectable_effect: float | None = None


@dataclass(frozen=True)
class Context:
    """What every criterion needs besides its series."""

    spec: rules.Spec
    seed: int
    calibration: Mapping[tuple[str, str], JudgeError]
    judged: frozenset[tuple[str, str]]
    """Metrics that a judge measured, so that its errors matter."""
    known: dict[tuple[str, str], tuple[StratumFinding, ...]] = field(default_factory=dict)
    """Strata already worked out: several criteria look at the same metric."""

    @property
    def confidence(self) -> float:
        return 1 - float(self.spec.alpha)


def finding(criterion: rules.Criterion, series: Series | None, context: Context) -> Finding:
    """Judges `criterion`; a superiority finding is provisional until `settled` has corrected its p."""
    if series is None:
        return Finding(
            criterion, "Inconclusive", Reason("missing-suite", suite=criterion.suite, metric=criterion.metric)
        )
    if isinstance(criterion, rules.Coverage):
        return _coverage(criterion, series)
    measured = series.only(series.paired)
    if not measured.items:
        return Finding(criterion, "Inconclusive", Reason("nothing-measured", suite=series.suite, metric=series.metric))
    key = (series.suite, series.metric)
    if context.spec.judge_correction == "Required" and key in context.judged:
        judge = context.calibration.get(key)
        if judge is None or not judge.positive or not judge.negative:
            return Finding(
                criterion, "Inconclusive", Reason("no-calibration", suite=series.suite, metric=series.metric)
            )
        if judge.sensitivity + judge.specificity <= 1:
            return Finding(criterion, "Inconclusive", Reason("chance-judge", suite=series.suite, metric=series.metric))
    overall = _numbers("", measured, context)
    if isinstance(criterion, rules.Superiority):
        return _superiority(criterion, measured, overall, context)
    if isinstance(criterion, rules.NonInferiority):
        return _non_inferiority(criterion, overall, measured, context)
    return _limit(criterion, series, measured, overall, context)


def settled(found: Finding, adjusted_p: float, spec: rules.Spec) -> Finding:
    """A superiority finding with its Holm-adjusted p; others are returned as they are."""
    criterion, overall, seen = found.criterion, found.overall, found.power
    if not isinstance(criterion, rules.Superiority) or overall is None or seen is None:
        return found
    found = replace(found, adjusted_p=adjusted_p)
    gain = _gain(overall.change, criterion.direction)
    numbers = {
        "gain": gain.estimate,
        "low": gain.low,
        "high": gain.high,
        "p": adjusted_p,
        "n": gain.n,
        "power": seen,
    }
    numbers["effect"] = float(criterion.minimum_effect)
    if not all(isfinite(value) for value in (gain.low, gain.high, adjusted_p)):
        return replace(found, result="Inconclusive", reason=Reason("no-interval", **numbers))
    if gain.high < 0:
        return replace(found, result="Fail", reason=Reason("worse", **numbers))
    if seen < float(spec.power):
        return replace(
            found,
            result="Inconclusive",
            reason=Reason("underpowered", mde=found.minimal_detectable_effect or 1.0, **numbers),
        )
    if adjusted_p <= float(spec.alpha) and gain.low > 0:
        return replace(found, result="Pass", reason=Reason("better", **numbers))
    return replace(found, result="Fail", reason=Reason("not-better", **numbers))


def _coverage(criterion: rules.Coverage, series: Series) -> Finding:
    n = len(series.items)
    if n == 0:
        return Finding(criterion, "Inconclusive", Reason("nothing-measured", suite=series.suite, metric=series.metric))
    share = min(float(np.isfinite(side).mean()) for side in (series.baseline, series.candidate))
    why = ", ".join(f"{name} {count}" for name, count in sorted(series.unscored.items())) or "-"
    numbers = {"share": share, "threshold": float(criterion.threshold), "n": n, "why": why}
    if share >= float(criterion.threshold):
        return Finding(criterion, "Pass", Reason("covered", **numbers))
    return Finding(criterion, "Inconclusive", Reason("not-covered", **numbers))


def _superiority(criterion: rules.Superiority, series: Series, overall: StratumFinding, context: Context) -> Finding:
    sign = 1.0 if criterion.direction == "higher" else -1.0
    difference = sign * (series.candidate - series.baseline)
    clustered = len(np.unique(series.clusters)) < len(series.items)
    if series.binary and not clustered:
        worse, better = (series.baseline, series.candidate) if sign > 0 else (series.candidate, series.baseline)
        p = mcnemar_p(worse, better)
    else:
        p = sign_flip_p(difference, series.clusters, context.seed)
    n = effective_items(difference, series.clusters)
    psi, alpha, wanted = float(context.spec.self_test.discordance), float(context.spec.alpha), float(context.spec.power)
    return Finding(
        criterion,
        "Inconclusive",
        Reason("pending"),
        overall,
        _by_stratum(series, context, lowest_first=sign > 0),
        p=p,
        mcnemar_p=mcnemar_two_sided(series.baseline, series.candidate) if series.binary else None,
        effective_items=n,
        power=power(float(criterion.minimum_effect), n, psi, alpha),
        minimal_detectable_effect=minimal_detectable_effect(n, psi, alpha, wanted),
    )


def _non_inferiority(
    criterion: rules.NonInferiority, overall: StratumFinding, series: Series, context: Context
) -> Finding:
    # One-sided at alpha: the interval of confidence 1 - 2 alpha has to exclude the margin.
    one_sided = replace(context, spec=context.spec.model_copy(update={"alpha": context.spec.alpha * 2}))
    gain = _gain(_numbers("", series, one_sided).change, criterion.direction)
    numbers = {
        "gain": gain.estimate,
        "low": gain.low,
        "high": gain.high,
        "margin": float(criterion.margin),
        "n": gain.n,
    }
    strata = _by_stratum(series, context, lowest_first=criterion.direction == "higher")
    if not (isfinite(gain.low) and isfinite(gain.high)):
        return Finding(criterion, "Inconclusive", Reason("no-interval", **numbers), overall, strata)
    if gain.low > -float(criterion.margin):
        return Finding(criterion, "Pass", Reason("not-inferior", **numbers), overall, strata)
    if gain.estimate <= -float(criterion.margin):
        return Finding(criterion, "Fail", Reason("inferior", **numbers), overall, strata)
    return Finding(criterion, "Inconclusive", Reason("maybe-inferior", **numbers), overall, strata)


def _limit(
    criterion: rules.Floor | rules.Ceiling, series: Series, measured: Series, overall: StratumFinding, context: Context
) -> Finding:
    floor = isinstance(criterion, rules.Floor)
    strata = _by_stratum(measured, context, lowest_first=floor) if criterion.per_stratum else ()
    held = strata or (overall,)
    threshold = float(criterion.threshold)
    absent = sorted(set(series.strata) - {found.stratum for found in strata}) if criterion.per_stratum else []
    worst = held[0]
    number = worst.candidate if criterion.of == "level" else worst.change
    numbers = {
        "stratum": worst.stratum, "value": number.estimate, "low": number.low, "high": number.high, "n": number.n,
        "threshold": threshold, "of": criterion.of, "minimum": criterion.minimum_items,
    }  # fmt: skip
    values = [found.candidate if criterion.of == "level" else found.change for found in held]
    if any(
        isfinite(value.estimate) and (value.estimate < threshold if floor else value.estimate > threshold)
        for value in values
    ):
        return Finding(
            criterion, "Fail", Reason("below-floor" if floor else "above-ceiling", **numbers), overall, strata
        )
    if absent:
        return Finding(criterion, "Inconclusive", Reason("unmeasured-strata", names=", ".join(absent)), overall, strata)
    few = min(values, key=lambda value: value.n)
    if few.n < criterion.minimum_items:
        name = held[values.index(few)].stratum
        return Finding(
            criterion, "Inconclusive", Reason("too-few", **{**numbers, "stratum": name, "n": few.n}), overall, strata
        )
    if criterion.bound == "interval":
        limits = [value.low if floor else value.high for value in values]
        if not all(isfinite(limit) for limit in limits):
            return Finding(criterion, "Inconclusive", Reason("no-interval", **numbers), overall, strata)
        if any(limit < threshold if floor else limit > threshold for limit in limits):
            return Finding(criterion, "Inconclusive", Reason("not-surely-within", **numbers), overall, strata)
    elif not all(isfinite(value.estimate) for value in values):
        return Finding(criterion, "Inconclusive", Reason("no-interval", **numbers), overall, strata)
    return Finding(criterion, "Pass", Reason("above-floor" if floor else "below-ceiling", **numbers), overall, strata)


def _by_stratum(series: Series, context: Context, lowest_first: bool) -> tuple[StratumFinding, ...]:
    key = (series.suite, series.metric)
    if key not in context.known:
        context.known[key] = tuple(_each_stratum(series, context))
    sign = 1 if lowest_first else -1
    return tuple(sorted(context.known[key], key=lambda one: sign * one.change.estimate))


def _each_stratum(series: Series, context: Context) -> Iterator[StratumFinding]:
    names = np.array(series.strata, dtype=object)
    for name in sorted(set(series.strata)):
        yield _numbers(name, series.only(names == name), context)


def _numbers(stratum: str, series: Series, context: Context) -> StratumFinding:
    judge = (
        context.calibration.get((series.suite, series.metric)) if context.spec.judge_correction == "Required" else None
    )
    levels = []
    for values in (series.baseline, series.candidate):
        binary = bool(np.isin(values, (0.0, 1.0)).all())
        clustered = len(np.unique(series.clusters)) < len(values)
        level = (
            wilson(int(values.sum()), len(values), context.confidence)
            if binary and not clustered
            else bootstrap(values, series.clusters, context.confidence, context.seed)
        )
        levels.append(rogan_gladen(level, judge, context.confidence) if judge and binary else level)
    change = bootstrap(series.candidate - series.baseline, series.clusters, context.confidence, context.seed)
    if judge:
        # Both sides share the judge's errors: the difference only shrinks by Youden's index.
        youden = judge.sensitivity + judge.specificity - 1
        change = Interval(change.estimate / youden, change.low / youden, change.high / youden, change.n)
    return StratumFinding(stratum, levels[0], levels[1], change)


def _gain(change: Interval, direction: rules.Direction) -> Interval:
    if direction == "higher":
        return change
    return Interval(-change.estimate, -change.high, -change.low, change.n)
