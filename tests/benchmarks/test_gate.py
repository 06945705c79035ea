"""What the gate's intervals cost beside the bootstrap of scipy, for values that are all different.

Both give BCa intervals from as many resamples: levels of both sides and the change, as for every stratum of a criterion. Scipy
knows no clusters, so every item is one. Compared are processor seconds, the least of several turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from gyeol.gate.interval import bootstraps
from gyeol.gate.resample import RESAMPLES

TURNS = 5


def spent(work: Callable[[], object]) -> float:
    """The least processor seconds of several turns; the first one only warms up."""
    seconds = []
    for _ in range(TURNS + 1):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds[1:])


@pytest.mark.parametrize("items", [833, 2500, 10_000], ids=["a stratum", "a suite", "a large suite"])
def test_three_intervals_take_a_fifth_of_the_time_that_scipy_needs(items: int) -> None:
    rng = np.random.default_rng(1)
    baseline, candidate = rng.normal(0.5, 0.5, items), rng.normal(0.6, 0.5, items)
    measured, clusters = [baseline, candidate, candidate - baseline], np.arange(items)

    def one_by_one() -> None:
        for values in measured:
            stats.bootstrap((values,), np.mean, method="BCa", n_resamples=RESAMPLES, rng=1, batch=500)

    ours, theirs = spent(lambda: bootstraps(measured, clusters, 0.95, seed=1)), spent(one_by_one)
    sys.stdout.write(
        f"\n{items} items: gate {ours * 1000:.1f} ms, scipy {theirs * 1000:.0f} ms, ratio {ours / theirs:.3f}\n"
    )
    assert ours <= theirs / 5
