"""Confidence intervals: Wilson for a proportion, BCa cluster bootstrap for a mean or a mean difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from gyeol.gate.resample import DISTINCT, TABLED, cells, distinct, multiset_means, table_means
from gyeol.gate.series import Floats, Ints

LEAST = 10
"""Fewest clusters from which a bootstrap interval is given: from fewer it would be too narrow."""
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """Two-sided confidence interval of a mean."""

    estimate: float
    low: float
    high: float
    n: int
    """Items it rests on."""


@lru_cache(maxsize=4096)
def wilson(successes: int, n: int, confidence: float) -> Interval:
    """Wilson score interval of a proportion; NaN limits when nothing was measured."""
    if n == 0:
        return Interval(float("nan"), float("nan"), float("nan"), 0)
    low, high = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
    return Interval(successes / n, float(low), float(high), n)


def unvaried(value: float, clusters: int, n: int, confidence: float) -> Interval:
    """Interval of the mean of differences between -1 and 1 that are all `value` (exact, Clopper and Pearson 1934).

    A bootstrap would give an interval without width; in truth a share of up to `1 - (tail)^(1 / clusters)` may be of another kind.
    """
    other = 1 - ((1 - confidence) / 2) ** (1 / clusters)
    return Interval(value, (1 - other) * value - other, (1 - other) * value + other, n)


def bootstrap(values: Floats, clusters: Ints, confidence: float, seed: int) -> Interval:
    """BCa cluster bootstrap interval of the mean of one measurement; see `bootstraps`."""
    [found] = bootstraps([values], clusters, confidence, seed)
    return found


def bootstraps(measured: Sequence[Floats], clusters: Ints, confidence: float, seed: int) -> list[Interval]:
    """BCa cluster bootstrap intervals of the means of several measurements of the same items (Efron 1987).

    Args:
      measured: one finite number per item, shape (n,) each.
      clusters: cluster index per item, shape (n,).
      confidence: for example 0.95.
      seed: fixes the resampling.

    Returns:
      One interval each; limits are NaN when there are fewer than ten clusters, equal to the estimate when nothing varies.
    """
    n = len(clusters)
    if n == 0:
        return [Interval(float("nan"), float("nan"), float("nan"), 0) for _ in measured]
    every = np.bincount(clusters).astype(np.float64)
    size = every[every > 0]
    if len(size) < LEAST:
        return [Interval(float(values.mean()), float("nan"), float("nan"), n) for values in measured]
    sums = [np.bincount(clusters, weights=values).astype(np.float64) for values in measured]
    totals = [total[every > 0] for total in sums]
    estimates = [float(values.mean()) for values in measured]
    pairs = [distinct(total, size) for total in totals]
    many = [place for place, (found, _) in enumerate(pairs) if len(found) > DISTINCT]
    tabled = dict[int, Floats]()
    if many and len(size) <= TABLED:
        means = table_means(np.column_stack([totals[place] for place in many]), size, seed)
        tabled = dict(zip(many, means.T, strict=True))
    intervals = []
    for place, (estimate, (found, counts)) in enumerate(zip(estimates, pairs, strict=True)):
        if len(found) == 1:
            low, high = estimate, estimate
        elif place in tabled:
            low, high = _limits(tabled[place], found, counts, estimate, confidence)
        else:
            few, number = cells(found, counts) if place in many else (found, counts)
            low, high = _multiset_limits(
                tuple(map(tuple, few.tolist())), tuple(number.tolist()), estimate, confidence, seed
            )
        intervals.append(Interval(estimate, low, high, n))
    return intervals


@lru_cache(maxsize=4096)
def _multiset_limits(
    pairs: tuple[tuple[float, float], ...], counts: tuple[int, ...], estimate: float, confidence: float, seed: int
) -> tuple[float, float]:
    """Limits for `counts[i]` clusters with the (sum, size) `pairs[i]`; kept, because small samples come up again and again."""
    found, number = np.array(pairs), np.array(counts)
    return _limits(multiset_means(found, number, seed), found, number, estimate, confidence)


def _limits(means: Floats, pairs: Floats, counts: Ints, estimate: float, confidence: float) -> tuple[float, float]:
    """BCa limits from resampled means; the jackknife leaves one cluster of each distinct pair out."""
    total, size = pairs.T
    jackknife = (total.dot(counts) - total) / (size.dot(counts) - size)
    below = ((means < estimate).sum() + 0.5 * (means == estimate).sum()) / len(means)
    bias = _NORMAL.inv_cdf(min(max(below, 1 / len(means)), 1 - 1 / len(means)))
    centred = np.average(jackknife, weights=counts) - jackknife
    spread = (counts * centred**2).sum()
    acceleration = 0.0 if spread == 0 else float((counts * centred**3).sum() / (6 * spread**1.5))
    tail = (1 - confidence) / 2
    shares = []
    for z in (_NORMAL.inv_cdf(tail), _NORMAL.inv_cdf(1 - tail)):
        shifted = bias + (bias + z) / (1 - acceleration * (bias + z))
        shares.append(_NORMAL.cdf(shifted))
    low, high = np.quantile(means, shares)
    return float(low), float(high)
