"""Levels and changes of one metric, as a whole and by stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from gyeol.gate import rule
from gyeol.gate.correction import JudgeError, rogan_gladen
from gyeol.gate.finding import Context, StratumFinding
from gyeol.gate.interval import Interval, bootstrap, bootstraps, unvaried, wilson
from gyeol.gate.series import Floats, Ints, Series


def whole(series: Series, context: Context) -> StratumFinding:
    """The series as one."""
    [found] = _known((series.suite, series.metric, ""), context, lambda: (numbers("", series, context),))
    return found


def by_stratum(series: Series, context: Context, lowest_first: bool) -> tuple[StratumFinding, ...]:
    """Every stratum, the one with the worst change first."""
    found = _known((series.suite, series.metric, "strata"), context, lambda: tuple(_each_stratum(series, context)))
    sign = 1 if lowest_first else -1
    return tuple(sorted(found, key=lambda one: sign * one.change.estimate))


def _known(
    key: tuple[str, str, str], context: Context, worked_out: Callable[[], tuple[StratumFinding, ...]]
) -> tuple[StratumFinding, ...]:
    if key not in context.known:
        context.known[key] = worked_out()
    return context.known[key]


def _each_stratum(series: Series, context: Context) -> Iterator[StratumFinding]:
    names = np.array(series.strata, dtype=object)
    for name in sorted(set(series.strata)):
        yield numbers(name, series.only(names == name), context)


def numbers(stratum: str, series: Series, context: Context) -> StratumFinding:
    """Both levels and the change, with intervals, corrected for the judge's errors where the policy requires it."""
    judge, sides = _judge(series, context), (series.baseline, series.candidate)
    difference = series.candidate - series.baseline
    exact = [*(_exact_level(side, series.clusters, context) for side in sides), _exact_change(series, context)]
    drawn = [values for values, found in zip((*sides, difference), exact, strict=True) if found is None]
    rest = iter(bootstraps(drawn, series.clusters, context.confidence, context.seed))
    levels = [found or next(rest) for found in exact[:2]]
    if judge:
        levels = [
            rogan_gladen(level, judge, context.confidence) if _is_binary(side) else level
            for side, level in zip(sides, levels, strict=True)
        ]
    return StratumFinding(stratum, levels[0], levels[1], _without_errors(exact[2] or next(rest), judge))


def change(series: Series, context: Context) -> Interval:
    """Candidate minus baseline, item by item, with the interval of the context's confidence."""
    found = _exact_change(series, context)
    if found is None:
        difference = series.candidate - series.baseline
        found = bootstrap(difference, series.clusters, context.confidence, context.seed)
    return _without_errors(found, _judge(series, context))


def _exact_level(values: Floats, clusters: Ints, context: Context) -> Interval | None:
    """Interval of a rate where no bootstrap is needed; None otherwise."""
    number = len(np.unique(clusters))
    if not _is_binary(values):
        return None
    if number == len(values):
        return wilson(int(values.sum()), number, context.confidence)
    if values.min() == values.max():
        # A bootstrap sees no variation at all; every cluster counts as one item, which is the cautious side.
        return replace(wilson(int(values[0]) * number, number, context.confidence), n=len(values))
    return None


def _exact_change(series: Series, context: Context) -> Interval | None:
    """Interval of binary differences that are all the same; None otherwise."""
    difference, number = series.candidate - series.baseline, len(np.unique(series.clusters))
    if series.binary and number and difference.min() == difference.max():
        return unvaried(float(difference[0]), number, len(difference), context.confidence)
    return None


def _without_errors(found: Interval, judge: JudgeError | None) -> Interval:
    """Both sides share the judge's errors: the difference only shrinks by Youden's index."""
    if judge is None:
        return found
    youden = judge.sensitivity + judge.specificity - 1
    return Interval(found.estimate / youden, found.low / youden, found.high / youden, found.n)


def _is_binary(values: Floats) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _judge(series: Series, context: Context) -> JudgeError | None:
    if context.spec.judge_correction != "Required":
        return None
    return context.calibration.get((series.suite, series.metric))


def gain_of(change: Interval, direction: rule.Direction) -> Interval:
    """The change as a gain: positive is better."""
    if direction == "higher":
        return change
    return Interval(-change.estimate, -change.high, -change.low, change.n)
