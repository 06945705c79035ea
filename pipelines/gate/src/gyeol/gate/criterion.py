"""One criterion against one series of paired outcomes: Pass, Fail or Inconclusive, with the numbers and a sentence.

What has to be shown is shown positively: missing, too few or non-finite numbers end as Inconclusive, never as Pass.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np

from gyeol.gate import rule
from gyeol.gate.finding import Context, Finding, StratumFinding
from gyeol.gate.limit import limit_finding
from gyeol.gate.number import by_stratum, change, gain_of, whole
from gyeol.gate.paired import mcnemar_p, mcnemar_two_sided, sign_flip_p
from gyeol.gate.policy import Spec
from gyeol.gate.power import effective_items, minimal_detectable_effect, power
from gyeol.gate.sentence import Reason
from gyeol.gate.series import Series


def finding(criterion: rule.Criterion, series: Series | None, context: Context) -> Finding:
    """Judges `criterion`; a superiority finding is provisional until `settled` has corrected its p."""
    if series is None:
        return Finding(
            criterion, "Inconclusive", Reason("missing-suite", suite=criterion.suite, metric=criterion.metric)
        )
    if isinstance(criterion, rule.Coverage):
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
    overall = whole(measured, context)
    if isinstance(criterion, rule.Superiority):
        return _superiority(criterion, measured, overall, context)
    if isinstance(criterion, rule.NonInferiority):
        return _non_inferiority(criterion, overall, measured, context)
    return limit_finding(criterion, series, measured, overall, context)


def settled(found: Finding, adjusted_p: float, spec: Spec) -> Finding:
    """A superiority finding with its Holm-adjusted p; others are returned as they are."""
    criterion, overall, seen = found.criterion, found.overall, found.power
    if not isinstance(criterion, rule.Superiority) or overall is None or seen is None:
        return found
    found = replace(found, adjusted_p=adjusted_p)
    gain = gain_of(overall.change, criterion.direction)
    shown = {
        "gain": gain.estimate,
        "low": gain.low,
        "high": gain.high,
        "p": adjusted_p,
        "n": gain.n,
        "power": seen,
    }
    shown["effect"] = float(criterion.minimum_effect)
    if not all(isfinite(value) for value in (gain.low, gain.high, adjusted_p)):
        return replace(found, result="Inconclusive", reason=Reason("no-interval", **shown))
    if gain.high < 0:
        return replace(found, result="Fail", reason=Reason("worse", **shown))
    if seen < float(spec.power):
        return replace(
            found,
            result="Inconclusive",
            reason=Reason("underpowered", mde=found.minimal_detectable_effect or 1.0, **shown),
        )
    if adjusted_p <= float(spec.alpha) and gain.low > 0:
        return replace(found, result="Pass", reason=Reason("better", **shown))
    return replace(found, result="Fail", reason=Reason("not-better", **shown))


def superiority_p(criterion: rule.Superiority, series: Series, seed: int) -> float:
    """One-sided p of "the candidate is better": exact McNemar for unclustered binary outcomes, else a sign-flip permutation."""
    sign = 1.0 if criterion.direction == "higher" else -1.0
    clustered = len(np.unique(series.clusters)) < len(series.items)
    if series.binary and not clustered:
        worse, better = (series.baseline, series.candidate) if sign > 0 else (series.candidate, series.baseline)
        return mcnemar_p(worse, better)
    return sign_flip_p(sign * (series.candidate - series.baseline), series.clusters, seed)


def _coverage(criterion: rule.Coverage, series: Series) -> Finding:
    n = len(series.items)
    if n == 0:
        return Finding(criterion, "Inconclusive", Reason("nothing-measured", suite=series.suite, metric=series.metric))
    share = min(float(np.isfinite(side).mean()) for side in (series.baseline, series.candidate))
    why = ", ".join(f"{name} {count}" for name, count in sorted(series.unscored.items())) or "-"
    shown = {"share": share, "threshold": float(criterion.threshold), "n": n, "why": why}
    if share >= float(criterion.threshold):
        return Finding(criterion, "Pass", Reason("covered", **shown))
    return Finding(criterion, "Inconclusive", Reason("not-covered", **shown))


def _superiority(criterion: rule.Superiority, series: Series, overall: StratumFinding, context: Context) -> Finding:
    sign = 1.0 if criterion.direction == "higher" else -1.0
    difference = sign * (series.candidate - series.baseline)
    p = superiority_p(criterion, series, context.seed)
    n = effective_items(difference, series.clusters)
    psi, alpha, wanted = float(context.spec.self_test.discordance), float(context.spec.alpha), float(context.spec.power)
    return Finding(
        criterion,
        "Inconclusive",
        Reason("pending"),
        overall,
        by_stratum(series, context, lowest_first=sign > 0) if context.strata else (),
        p=p,
        mcnemar_p=mcnemar_two_sided(series.baseline, series.candidate) if series.binary else None,
        effective_items=n,
        power=power(float(criterion.minimum_effect), n, psi, alpha),
        minimal_detectable_effect=minimal_detectable_effect(n, psi, alpha, wanted),
    )


def _non_inferiority(
    criterion: rule.NonInferiority, overall: StratumFinding, series: Series, context: Context
) -> Finding:
    # One-sided at alpha: the interval of confidence 1 - 2 alpha has to exclude the margin.
    one_sided = replace(context, spec=context.spec.model_copy(update={"alpha": context.spec.alpha * 2}))
    gain = gain_of(change(series, one_sided), criterion.direction)
    shown = {
        "gain": gain.estimate,
        "low": gain.low,
        "high": gain.high,
        "margin": float(criterion.margin),
        "n": gain.n,
    }
    strata = by_stratum(series, context, lowest_first=criterion.direction == "higher") if context.strata else ()
    if not (isfinite(gain.low) and isfinite(gain.high)):
        return Finding(criterion, "Inconclusive", Reason("no-interval", **shown), overall, strata)
    if gain.low > -float(criterion.margin):
        return Finding(criterion, "Pass", Reason("not-inferior", **shown), overall, strata)
    if gain.estimate <= -float(criterion.margin):
        return Finding(criterion, "Fail", Reason("inferior", **shown), overall, strata)
    return Finding(criterion, "Inconclusive", Reason("maybe-inferior", **shown), overall, strata)
