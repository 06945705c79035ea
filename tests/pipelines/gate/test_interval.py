"""Intervals hold what they promise, whether values are few or all different."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gyeol.gate.interval import bootstrap, bootstraps, unvaried


def test_an_interval_of_many_different_values_is_that_of_the_normal_law() -> None:
    values = np.random.default_rng(3).normal(0.4, 0.2, 20_000)
    found = bootstrap(values, np.arange(20_000), 0.95, seed=1)
    half = 1.96 * values.std() / 20_000**0.5
    assert found.estimate == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((found.estimate - half, found.estimate + half), abs=0.1 * half)


@pytest.mark.parametrize("count", [150, 400, 3000])
def test_a_skewed_law_has_the_limits_that_scipy_gives_it(count: int) -> None:
    values = np.random.default_rng(4).lognormal(0, 1, count)
    found = bootstrap(values, np.arange(count), 0.95, seed=1)
    known = stats.bootstrap((values,), np.mean, method="BCa", n_resamples=10_000, rng=9, batch=500).confidence_interval
    # Four standard errors of a limit from four thousand resamples.
    assert (found.low, found.high) == pytest.approx(known, abs=0.2 * (known.high - known.low) / 2)


def test_measurements_of_the_same_items_get_the_intervals_they_get_alone() -> None:
    rng = np.random.default_rng(8)
    clusters = np.repeat(np.arange(700), rng.integers(1, 6, 700))
    measured = [
        rng.normal(0, 1, len(clusters)),
        (rng.random(len(clusters)) < 0.3).astype(float),
        np.ones(len(clusters)),
    ]
    alone = [bootstrap(values, clusters, 0.95, seed=3) for values in measured]
    assert bootstraps(measured, clusters, 0.95, seed=3) == alone


def test_one_value_far_away_is_not_lost_among_the_others() -> None:
    values = np.concatenate([np.linspace(0, 1, 500), [400.0]])
    found = bootstrap(values, np.arange(501), 0.95, seed=1)
    assert found.estimate == pytest.approx(values.mean())
    assert found.high > 2, "a resample may hold it twice or three times"


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    held = 0
    for number in range(100):
        molds = rng.normal(0, 0.5, 60)
        values = np.repeat(molds, 5) + rng.normal(0, 0.5, 300)
        found = bootstrap(values, np.repeat(np.arange(60), 5), 0.95, seed=number)
        held += found.low <= 0 <= found.high
    # Three standard errors below 95 of 100.
    assert held >= 88


def test_a_hundred_thousand_different_values_take_no_more_memory_than_a_few_cells() -> None:
    import tracemalloc

    values, clusters = np.random.default_rng(5).random(100_000), np.arange(100_000)
    tracemalloc.start()
    bootstrap(values, clusters, 0.95, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * 2**20


def test_too_few_clusters_have_no_interval_and_values_that_never_vary_have_one_with_a_width() -> None:
    assert np.isnan(bootstrap(np.arange(9.0), np.arange(9), 0.95, seed=1).low)
    # Rule of three: none of 59 seen, at most 5 % there.
    assert unvaried(0.0, 59, 59, confidence=0.90).low == pytest.approx(-0.05, abs=0.001)
    assert unvaried(1.0, 59, 59, confidence=0.90).high == 1.0
