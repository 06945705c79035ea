"""Levels and changes of one metric, as a whole and by stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gyeol.gate import rule
from gyeol.gate.correction import JudgeError, rogan_gladen
from gyeol.gate.finding import Context, StratumFinding
from gyeol.gate.interval import Interval, bootstrap, wilson
from gyeol.gate.series import Series


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
    judge = _judge(series, context)
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
    return StratumFinding(stratum, levels[0], levels[1], change(series, context))


def change(series: Series, context: Context) -> Interval:
    """Candidate minus baseline, item by item, with the interval of the context's confidence."""
    found = bootstrap(series.candidate - series.baseline, series.clusters, context.confidence, context.seed)
    judge = _judge(series, context)
    if judge is None:
        return found
    # Both sides share the judge's errors: the difference only shrinks by Youden's index.
    youden = judge.sensitivity + judge.specificity - 1
    return Interval(found.estimate / youden, found.low / youden, found.high / youden, found.n)


def _judge(series: Series, context: Context) -> JudgeError | None:
    if context.spec.judge_correction != "Required":
        return None
    return context.calibration.get((series.suite, series.metric))


def gain_of(change: Interval, direction: rule.Direction) -> Interval:
    """The change as a gain: positive is better."""
    if direction == "higher":
        return change
    return Interval(-change.estimate, -change.high, -change.low, change.n)
