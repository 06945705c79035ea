from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyeol.reconcile.allotment import Kind, allotments, dealt
from gyeol.reconcile.wave import GROWTH, wave
from support.world import aligned

counts = st.integers(min_value=0, max_value=10_000)


@given(target=counts, accepted=counts, more=counts, ceiling=counts, capacity=counts)
def test_a_wave_stays_within_every_limit(target: int, accepted: int, more: int, ceiling: int, capacity: int) -> None:
    requested = accepted + more
    size = wave(target=target, accepted=accepted, requested=requested, ceiling=ceiling, capacity=capacity)
    assert size == 0 or requested + size <= min(ceiling, capacity)
    assert 0 <= size <= max(GROWTH * max(target - accepted, 0), requested)


@given(target=st.integers(1, 500), hundredths=st.integers(1, 100))
def test_waves_reach_the_target_at_any_acceptance_rate(target: int, hundredths: int) -> None:
    rate, requested, waves = Fraction(hundredths, 100), 0, 0
    while size := wave(
        target=target, accepted=int(requested * rate), requested=requested, ceiling=10**6, capacity=10**6
    ):
        requested, waves = requested + size, waves + 1
        assert waves < 20
    assert int(requested * rate) >= target
    assert int(requested * rate) <= 2 * target + GROWTH


def test_the_first_wave_cannot_overshoot() -> None:
    assert wave(target=12, accepted=0, requested=0, ceiling=1000, capacity=1000) == 12


def test_later_waves_divide_what_is_missing_by_the_rate_so_far() -> None:
    assert wave(target=12, accepted=6, requested=12, ceiling=1000, capacity=1000) == 12
    assert wave(target=12, accepted=0, requested=12, ceiling=1000, capacity=1000) == 48


@given(whole=counts, weights=st.lists(st.integers(1, 1000), min_size=1, max_size=60))
def test_a_whole_is_dealt_out_completely_and_fairly(whole: int, weights: list[int]) -> None:
    parts = dealt(whole, weights)
    assert sum(parts) == whole
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - Fraction(whole * weight, sum(weights))) < 1


@pytest.mark.parametrize(("share", "benign"), [("0", 0), ("0.4", 7), ("0.05", 1), ("0.5", 10), ("0.75", 30)])
def test_benign_triplets_come_on_top_until_they_are_their_share_of_all(share: str, benign: int) -> None:
    run = aligned(lambda text: text.replace('benignShare: "0.4"', f'benignShare: "{share}"'))
    wanted = {one.stratum: (one.kind, one.target) for one in allotments(run.spec.data, ["I"])}
    expected = {"I": (Kind.HARMFUL, 10)} | ({"I+benign": (Kind.BENIGN, benign)} if benign else {})
    assert wanted == expected


def test_the_ceilings_add_up_to_the_ceiling_of_the_run() -> None:
    shares = allotments(aligned().spec.data, ["I", "II", "III"])
    assert sum(one.ceiling for one in shares) == 400
