"""Levels and changes of one metric, as a whole and by stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from gyeol.gate import rule
from gyeol.gate.correction import JudgeError, rogan_gladen
from gyeol.gate.finding import Context, StratumFinding
from gyeol.gate.interval import Interval, bootstrap, unvaried, wilson
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
    judge = _judge(series, context)
    levels = [_level(values, series.clusters, judge, context) for values in (series.baseline, series.candidate)]
    return StratumFinding(stratum, levels[0], levels[1], change(series, context))


def _level(values: Floats, clusters: Ints, judge: JudgeError | None, context: Context) -> Interval:
    number = len(np.unique(clusters))
    if not np.isin(values, (0.0, 1.0)).all():
        return bootstrap(values, clusters, context.confidence, context.seed)
    if number == len(values):
        level = wilson(int(values.sum()), number, context.confidence)
    elif values.min() == values.max():
        # A bootstrap sees no variation at all; every cluster counts as one item, which is the cautious side.
        level = replace(wilson(int(values[0]) * number, number, context.confidence), n=len(values))
    else:
        level = bootstrap(values, clusters, context.confidence, context.seed)
    return rogan_gladen(level, judge, context.confidence) if judge else level


def change(series: Series, context: Context) -> Interval:
    """Candidate minus baseline, item by item, with the interval of the context's confidence."""
    difference, number = series.candidate - series.baseline, len(np.unique(series.clusters))
    if series.binary and number and difference.min() == difference.max():
        found = unvaried(float(difference[0]), number, len(difference), context.confidence)
    else:
        found = bootstrap(difference, series.clusters, context.confidence, context.seed)
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
