"""Means of resampled clusters, whatever their number.

Resampling whole clusters with replacement and then taking the ratio of sums is the same as drawing the *multiset* of
distinct (sum, size) pairs from a multinomial distribution.
With binary outcomes there are few distinct pairs, so a bootstrap of any number of items costs almost nothing.

Where there are many, each cluster is drawn Poisson(1) times instead (Hanley and MacGibbon 2006): the number drawn in all varies,
which a mean hardly notices, and the draws do not depend on the values, so that all series share one table of them.
Where there are more clusters than the table holds, pairs that lie close together are replaced by their mean: the estimate stays
exact, the variance within a cell of a thirty-second of the range is lost (0.1 % of an even distribution), and time and memory
stay bounded.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gyeol.gate.series import Floats, Ints

RESAMPLES = 4000
DISTINCT = 128
"""Most distinct pairs whose multiset is drawn."""
TABLED = 4096
"""Most clusters that the table holds."""
_BLOCK = 512
"""Clusters in a block of the table, 16 MiB: made when they are first needed."""
_SLABS = 32
"""Parts of a block, along the resamples. Products this small stay on one core: spread over cores that others use, they would wait."""
_SUMS, _SIZES = 32, 8
"""Cells into which more clusters than the table holds are put."""


def distinct(total: Floats, size: Floats) -> tuple[Floats, Ints]:
    """Distinct (sum, size) pairs, shape (m, 2), with the number of clusters of each."""
    # As complex numbers they are sorted ten times as fast as rows are.
    pairs, counts = np.unique(total + 1j * size, return_counts=True)
    return np.column_stack([pairs.real, pairs.imag]), counts


def multiset_means(pairs: Floats, counts: Ints, seed: int) -> Floats:
    """Means of multisets of pairs, shape (resamples,)."""
    total, size = pairs.T
    draws = np.random.default_rng(seed).multinomial(counts.sum(), counts / counts.sum(), size=RESAMPLES)
    means: Floats = (draws @ total) / (draws @ size)
    return means


def table_means(totals: Floats, size: Floats, seed: int) -> Floats:
    """Means of several measurements of the same clusters in the same resamples, shape (resamples, k).

    Args:
      totals: sum of each cluster and measurement, shape (m, k), m at most `TABLED`.
      size: items of each cluster, shape (m,).
      seed: fixes the table.
    """
    sums = np.zeros((RESAMPLES, totals.shape[1] + 1))
    added = np.column_stack([totals, size])
    for start in range(0, len(size), _BLOCK):
        part = added[start : start + _BLOCK]
        sums += (_times_drawn(seed, start)[:, :, : len(part)] @ part).reshape(sums.shape)
    return sums[:, :-1] / sums[:, -1:]


def cells(pairs: Floats, counts: Ints) -> tuple[Floats, Ints]:
    """Pairs, shape (m, 2), as the means of the cells of a grid, with the clusters in each."""
    low, span = pairs.min(axis=0), np.ptp(pairs, axis=0)
    grid = np.array([_SUMS, _SIZES])
    place = np.minimum((pairs - low) / np.where(span > 0, span, 1) * grid, grid - 1).astype(np.int64)
    _, cell = np.unique(place[:, 0] * _SIZES + place[:, 1], return_inverse=True)
    number = np.bincount(cell, weights=counts)
    means = np.column_stack([np.bincount(cell, weights=counts * column) / number for column in pairs.T])
    return means, number.astype(np.int64)


@lru_cache(maxsize=TABLED // _BLOCK)
def _times_drawn(seed: int, start: int) -> Floats:
    """How often each cluster from `start` on is in each resample, shape (slabs, resamples of a slab, clusters of a block)."""
    drawn = np.random.default_rng((seed, start)).poisson(1.0, (_SLABS, RESAMPLES // _SLABS, _BLOCK))
    return drawn.astype(np.float64)
