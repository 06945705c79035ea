"""The books of a run add up, and say so when they do not."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gyeol.ledger.domain.account import DropGroup, Group, Tally, account
from gyeol.ledger.domain.record import REVIEW, SEAL, STAGES, TRIPLET, Marks, stage_bit

SEED, POLICY, CANDIDATE, JUDGE = (stage_bit(stage) for stage in STAGES)
ALL = SEED | POLICY | CANDIDATE | JUDGE


def test_every_stage_hands_its_results_to_the_next() -> None:
    books = account(
        [
            Group("I", Marks(ALL | TRIPLET), 5),
            Group("I", Marks(SEED, SEED), 2),
            Group("I", Marks(SEED | POLICY | CANDIDATE, CANDIDATE), 3),
            Group("II", Marks(SEED | POLICY | CANDIDATE, failed=JUDGE), 1),
            Group("II", Marks(SEED | POLICY), 4),
        ]
    )
    assert books.stages == {
        "seed": Tally(results=13, drops=2),
        "policy": Tally(results=13),
        "candidate": Tally(results=6, drops=3, pending=4),
        "judge": Tally(results=5, failures=1),
    }
    assert books.strata == {"I": Tally(results=5, drops=5), "II": Tally(failures=1, pending=4)}
    assert books.total == Tally(results=5, drops=5, failures=1, pending=4)
    assert not books.balanced


def test_a_run_is_balanced_once_everything_has_ended() -> None:
    ended = [Group("I", Marks(ALL | TRIPLET), 2), Group("I", Marks(SEED | POLICY, failed=POLICY | CANDIDATE), 1)]
    assert account(ended).balanced


def test_a_run_without_input_is_not_balanced() -> None:
    assert not account([]).balanced


def test_a_lost_event_keeps_the_books_open() -> None:
    books = account([Group("I", Marks(ALL | TRIPLET), 9), Group("I", Marks((ALL | TRIPLET) & ~POLICY), 1)])
    assert books.total == Tally(results=10)
    assert books.gaps == 1
    assert not books.balanced


def test_drops_are_counted_by_reason_unless_their_record_went_on() -> None:
    marks = Marks(SEED | POLICY | CANDIDATE, CANDIDATE)
    gone_on = Marks(SEED | POLICY, SEED)
    books = account(
        [Group("I", marks, 3), Group("I", gone_on, 1), Group("I", Marks(ALL | TRIPLET, REVIEW), 2)],
        [DropGroup("candidate", "NOT_MINED", marks, 3), DropGroup("seed", "DUPLICATE", gone_on, 1)],
    )
    assert books.drops == {"NOT_MINED": 3, "REVIEW": 2}
    assert sum(books.drops.values()) == books.total.drops


def test_review_and_seal_appear_once_they_dropped_something() -> None:
    books = account([Group("I", Marks(ALL | TRIPLET), 4), Group("I", Marks(ALL | TRIPLET, SEAL), 1)])
    assert list(books.stages) == [*STAGES, "seal"]
    assert books.stages["seal"] == Tally(results=4, drops=1)
    assert books.drops == {"CONTAMINATED": 1}


def test_benign_triplets_are_those_of_benign_strata() -> None:
    books = account([Group("I", Marks(ALL | TRIPLET), 3), Group("I+benign", Marks(ALL | TRIPLET), 2)])
    assert (books.total.results, books.benign) == (5, 2)


marks = st.builds(Marks, st.integers(0, 31), st.integers(0, 63), st.integers(1, 31))


@given(st.lists(st.builds(Group, st.sampled_from(["I", "II", "I+benign"]), marks, st.integers(1, 50)), max_size=12))
def test_the_sums_agree_whatever_was_stored(groups: list[Group]) -> None:
    books = account(groups)
    records = sum(group.count for group in groups)
    assert books.total.inputs == records
    assert books.stages["seed"].inputs == records
    for before, after in itertools.pairwise(STAGES):
        assert books.stages[after].inputs == books.stages[before].results
    ended = sum(tally.drops + tally.failures for tally in books.stages.values())
    assert ended == books.total.drops + books.total.failures
