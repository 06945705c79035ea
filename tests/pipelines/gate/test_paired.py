"""Paired tests say how surprising a gain is, at any number of different values."""

from __future__ import annotations

import tracemalloc
from statistics import NormalDist

import numpy as np
import pytest

from gyeol.gate.paired import sign_flip_p


@pytest.mark.parametrize("mean", [0.0, 0.02, 0.05])
def test_many_different_differences_get_the_p_of_the_normal_law(mean: float) -> None:
    difference = np.random.default_rng(2).normal(mean, 1, 5000)
    z = difference.sum() / (difference**2).sum() ** 0.5
    expected = 1 - NormalDist().cdf(z)
    assert sign_flip_p(difference, np.arange(5000), seed=1) == pytest.approx(expected, abs=0.015)


def test_a_hundred_thousand_different_differences_take_no_more_memory_than_a_few_cells() -> None:
    difference, clusters = np.random.default_rng(5).normal(0, 1, 100_000), np.arange(100_000)
    tracemalloc.start()
    sign_flip_p(difference, clusters, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * 2**20
