"""The A/A self-test: what a policy does to two measurements of the same model.

Outcomes are simulated as the policy's `selfTest` describes them: a rate per suite and metric, a share of items that differ
between two runs, molds that share a random effect.
Every pass is a false pass, since nothing changed; their share must not exceed alpha.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gyeol.gate import rule
from gyeol.gate.criterion import superiority_p
from gyeol.gate.evidence import Evidence
from gyeol.gate.policy import GatePolicy, Spec
from gyeol.gate.power import minimal_detectable_effect
from gyeol.gate.series import Floats, Ints, Series
from gyeol.gate.verdict import SEED, verdict


@dataclass(frozen=True)
class SelfTest:
    false_pass: float
    """Share of simulated A/A gates that passed."""
    alpha: float
    power: float
    """Share of simulated gates that passed when every superiority metric really gained its smallest effect of interest."""
    minimal_detectable_effect: float
    """Largest over the superiority criteria, as a difference of means."""
    simulations: int


def self_test(
    policy: GatePolicy, simulations: int, seed: int, advance: Callable[[], object] = lambda: None
) -> SelfTest:
    """Simulates `simulations` gates without and with the effect; `advance` is called after each.

    Raises:
      KeyError: `selfTest.rates` lacks a `suite/metric` that a criterion uses.
    """
    rng = np.random.default_rng(seed)
    before_expiry = policy.spec.expires - dt.timedelta(days=1)
    passes = {False: 0, True: 0}
    for improved in passes:
        for _ in range(simulations):
            simulated = _evidence(policy.spec, rng, improved)
            passes[improved] += _passes(policy, simulated, before_expiry)
            advance()
    world = policy.spec.self_test
    effects = [
        minimal_detectable_effect(
            world.items, float(world.discordance), float(policy.spec.alpha), float(policy.spec.power)
        )
        for criterion in policy.spec.criteria
        if criterion.kind == "superiority"
    ]
    return SelfTest(
        passes[False] / simulations, float(policy.spec.alpha), passes[True] / simulations, max(effects), simulations
    )


def _passes(policy: GatePolicy, evidence: Evidence, today: dt.date) -> bool:
    """Whether the verdict is Pass; most simulated gates end at their cheapest part.

    Holm only ever raises a p, so that a superiority criterion whose own p exceeds alpha cannot pass.
    """
    for criterion in policy.spec.criteria:
        if isinstance(criterion, rule.Superiority):
            series = evidence.series[criterion.suite, criterion.metric]
            if superiority_p(criterion, series.only(series.paired), SEED) > float(policy.spec.alpha):
                return False
    return verdict(policy, evidence, today, strata=False).result == "Pass"


def _evidence(spec: Spec, rng: np.random.Generator, improved: bool) -> Evidence:
    world = spec.self_test
    gains = {
        (one.suite, one.metric): float(one.minimum_effect) * (1 if one.direction == "higher" else -1)
        for one in spec.criteria
        if isinstance(one, rule.Superiority)
    }
    clusters = np.arange(world.items) // world.items_per_cluster
    series = {}
    for suite, metric in sorted({(one.suite, one.metric) for one in spec.criteria}):
        rate = float(world.rates[f"{suite}/{metric}"])
        gain = gains.get((suite, metric), 0.0) if improved else 0.0
        baseline, candidate = _outcomes(rng, clusters, rate, gain, float(world.discordance))
        items = tuple(f"{number:06d}" for number in range(world.items))
        strata = tuple(f"S{cluster % 5}" for cluster in clusters)
        series[suite, metric] = Series(suite, metric, items, strata, clusters, baseline, candidate)
    return Evidence(series, {}, {})


def _outcomes(
    rng: np.random.Generator, clusters: Ints, rate: float, gain: float, discordance: float
) -> tuple[Floats, Floats]:
    """Binary outcomes of both sides, shape (items,): as many items flip one way as the other, `gain` more flip one way.

    Without a gain both sides have the same mean in every mold; a rate near 0 or 1 leaves less to flip than `discordance`.
    """
    shift = rng.normal(0, 0.1, clusters.max() + 1)[clusters]
    mean = np.clip(rate + shift, 0, 1)
    baseline = (rng.random(len(clusters)) < mean).astype(np.float64)
    flips = np.minimum(discordance / 2, np.minimum(mean, 1 - mean))
    up = np.maximum(flips + gain / 2, np.maximum(gain, 0))
    down = np.maximum(flips - gain / 2, np.maximum(-gain, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.where(baseline == 0, up / (1 - mean), down / mean)
    flipped = rng.random(len(clusters)) < np.nan_to_num(chance)
    return baseline, np.where(flipped, 1 - baseline, baseline)
