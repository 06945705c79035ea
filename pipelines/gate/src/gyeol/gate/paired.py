"""Paired tests of "the candidate is better", one-sided.

Unclustered binary outcomes use the exact McNemar test.
Everything else uses a sign-flip permutation of whole clusters: under the null hypothesis that model labels are exchangeable
within a cluster, every pattern of flips is equally likely.
"""

from __future__ import annotations

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from gyeol.gate.series import Floats, Ints

PERMUTATIONS = 9999
DISTINCT = 128
"""Most distinct magnitudes that are flipped as they are."""
_CELLS = 64
"""Cells into which more of them are put; the root mean square of a cell keeps the variance of the sum."""


def mcnemar_p(baseline: Floats, candidate: Floats) -> float:
    """Exact one-sided p of "more items turned from 0 to 1 than back", shape (n,) each, values 0 or 1."""
    better = int(((candidate == 1) & (baseline == 0)).sum())
    worse = int(((candidate == 0) & (baseline == 1)).sum())
    if better + worse == 0:
        return 1.0
    return float(stats.binomtest(better, better + worse, 0.5, alternative="greater").pvalue)


def mcnemar_two_sided(baseline: Floats, candidate: Floats) -> float:
    """The customary two-sided exact McNemar p, for reports."""
    table = [[int(((baseline == b) & (candidate == c)).sum()) for c in (1, 0)] for b in (1, 0)]
    return float(mcnemar(table, exact=True).pvalue)


def sign_flip_p(difference: Floats, clusters: Ints, seed: int) -> float:
    """One-sided p of "the mean difference is greater than zero" by flipping the sign of whole clusters.

    Monte Carlo with the observed arrangement counted in, so that p is never 0 and the test is valid (Phipson and Smyth 2010).
    """
    sums = np.bincount(clusters, weights=difference)
    sums = sums[sums != 0]
    observed = sums.sum()
    if len(sums) == 0:
        return 1.0
    rng = np.random.default_rng(seed)
    values, counts = np.unique(np.abs(sums), return_counts=True)
    if len(values) > DISTINCT:
        values, counts = _in_cells(values, counts)
    # The sum of k fair signs is 2 * Binomial(k, 1/2) - k: only distinct magnitudes have to be drawn.
    heads = rng.binomial(counts, 0.5, size=(PERMUTATIONS, len(counts)))
    flipped = (2 * heads - counts) @ values
    tolerance = 1e-9 * max(1.0, float(np.abs(sums).sum()))
    return float((1 + (flipped >= observed - tolerance).sum()) / (PERMUTATIONS + 1))


def _in_cells(values: Floats, counts: Ints) -> tuple[Floats, Ints]:
    place = np.minimum(values / values.max() * _CELLS, _CELLS - 1).astype(np.int64)
    _, cell = np.unique(place, return_inverse=True)
    number = np.bincount(cell, weights=counts)
    return np.sqrt(np.bincount(cell, weights=counts * values**2) / number), number.astype(np.int64)
