"""Confidence intervals: Wilson for a proportion, BCa cluster bootstrap for a mean or a mean difference.

Resampling whole clusters with replacement and then taking the ratio of sums is the same as drawing the *multiset* of
distinct (sum, size) pairs from a multinomial distribution.
With binary outcomes there are few distinct pairs, so a bootstrap of any number of items costs almost nothing.
Where there are many, pairs that lie close together are replaced by their mean: the estimate stays exact, the variance within a
cell of a thirty-second of the range is lost (0.1 % of an even distribution), and time and memory stay bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from gyeol.gate.series import Floats, Ints

RESAMPLES = 4000
LEAST = 10
"""Fewest clusters from which a bootstrap interval is given: from fewer it would be too narrow."""
DISTINCT = 128
"""Most distinct pairs that are resampled as they are."""
_SUMS, _SIZES = 32, 8
"""Cells into which more of them are put."""
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


def bootstrap(values: Floats, clusters: Ints, confidence: float, seed: int) -> Interval:
    """BCa cluster bootstrap interval of the mean of `values` (Efron 1987).

    Args:
      values: one finite number per item, shape (n,).
      clusters: cluster index per item, shape (n,).
      confidence: for example 0.95.
      seed: fixes the resampling.

    Returns:
      The interval; limits are NaN when there are fewer than ten clusters, equal to the estimate when nothing varies.
    """
    n = len(values)
    if n == 0:
        return Interval(float("nan"), float("nan"), float("nan"), 0)
    estimate = float(values.mean())
    size = np.bincount(clusters).astype(np.float64)
    total = np.bincount(clusters, weights=values)
    kept = size > 0
    pairs, counts = np.unique(np.column_stack([total[kept], size[kept]]), axis=0, return_counts=True)
    number = int(counts.sum())
    if number < LEAST:
        return Interval(estimate, float("nan"), float("nan"), n)
    if len(pairs) == 1:
        return Interval(estimate, estimate, estimate, n)
    if len(pairs) > DISTINCT:
        pairs, counts = _in_cells(pairs, counts)
    low, high = _limits(tuple(map(tuple, pairs.tolist())), tuple(counts.tolist()), estimate, confidence, seed)
    return Interval(estimate, low, high, n)


def unvaried(value: float, clusters: int, n: int, confidence: float) -> Interval:
    """Interval of the mean of differences between -1 and 1 that are all `value` (exact, Clopper and Pearson 1934).

    A bootstrap would give an interval without width; in truth a share of up to `1 - (tail)^(1 / clusters)` may be of another kind.
    """
    other = 1 - ((1 - confidence) / 2) ** (1 / clusters)
    return Interval(value, (1 - other) * value - other, (1 - other) * value + other, n)


def _in_cells(pairs: Floats, counts: Ints) -> tuple[Floats, Ints]:
    """Pairs, shape (m, 2), as the means of the cells of a grid, with the clusters in each."""
    low, span = pairs.min(axis=0), np.ptp(pairs, axis=0)
    grid = np.array([_SUMS, _SIZES])
    place = np.minimum((pairs - low) / np.where(span > 0, span, 1) * grid, grid - 1).astype(np.int64)
    _, cell = np.unique(place[:, 0] * _SIZES + place[:, 1], return_inverse=True)
    number = np.bincount(cell, weights=counts)
    means = np.column_stack([np.bincount(cell, weights=counts * column) / number for column in pairs.T])
    return means, number.astype(np.int64)


@lru_cache(maxsize=4096)
def _limits(
    pairs: tuple[tuple[float, float], ...], counts: tuple[int, ...], estimate: float, confidence: float, seed: int
) -> tuple[float, float]:
    """Limits for `counts[i]` clusters with the (sum, size) `pairs[i]`; kept, because small samples come up again and again."""
    total, size = np.array(pairs).T
    number = np.array(counts)
    draws = np.random.default_rng(seed).multinomial(number.sum(), number / number.sum(), size=RESAMPLES)
    means = (draws @ total) / (draws @ size)
    jackknife = (total.dot(number) - total) / (size.dot(number) - size)
    return _corrected(means, estimate, jackknife, number, confidence)


def _corrected(
    means: Floats, estimate: float, jackknife: Floats, counts: Ints, confidence: float
) -> tuple[float, float]:
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
