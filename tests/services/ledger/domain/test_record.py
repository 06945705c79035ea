"""Where a record stands follows from its events alone, whatever their order and number."""

from __future__ import annotations

import functools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyeol.ledger.domain.record import (
    ELSEWHERE,
    REVIEW,
    SEAL,
    STAGES,
    TRIPLET,
    Marks,
    Step,
    stage_bit,
    standing,
)

SEED, POLICY, CANDIDATE, JUDGE = (stage_bit(stage) for stage in STAGES)
ABSENT, PENDING, RESULT, DROP, FAILURE = Step.ABSENT, Step.PENDING, Step.RESULT, Step.DROP, Step.FAILURE

STANDINGS = {
    "a seed that was generated waits for its policy": (Marks(SEED), [RESULT, PENDING, ABSENT, ABSENT], PENDING),
    "a refused seed is a drop": (Marks(dropped=SEED), [DROP, ABSENT, ABSENT, ABSENT], DROP),
    "a refused seed whose stage also completed is a drop": (Marks(SEED, SEED), [DROP, ABSENT, ABSENT, ABSENT], DROP),
    "a record that no attack mined is a drop": (
        Marks(SEED | POLICY | CANDIDATE, CANDIDATE),
        [RESULT, RESULT, DROP, ABSENT],
        DROP,
    ),
    "a verdict without its triplet is still pending": (
        Marks(SEED | POLICY | CANDIDATE | JUDGE),
        [RESULT, RESULT, RESULT, PENDING],
        PENDING,
    ),
    "a stored triplet is a result": (Marks(SEED | POLICY | CANDIDATE | JUDGE | TRIPLET), [RESULT] * 4, RESULT),
    "a triplet is a result although its stages are not heard of yet": (Marks(TRIPLET), [RESULT] * 4, RESULT),
    "a failure ends a record": (Marks(SEED, failed=POLICY), [RESULT, FAILURE, ABSENT, ABSENT], FAILURE),
    "a failure that was driven again is forgotten": (
        Marks(SEED | POLICY, failed=POLICY),
        [RESULT, RESULT, PENDING, ABSENT],
        PENDING,
    ),
    "a late seed drop of a record that went on does not count": (
        Marks(SEED | POLICY, dropped=SEED),
        [RESULT, RESULT, PENDING, ABSENT],
        PENDING,
    ),
    "an event that the ledger could not take fails the record where it waits": (
        Marks(SEED | POLICY | CANDIDATE | JUDGE, failed=ELSEWHERE),
        [RESULT, RESULT, RESULT, FAILURE],
        FAILURE,
    ),
    "a request that failed before it had a seed is a failure of seed": (
        Marks(failed=SEED),
        [FAILURE, ABSENT, ABSENT, ABSENT],
        FAILURE,
    ),
    "a dead letter of nobody's stage alone is a failure": (
        Marks(failed=ELSEWHERE),
        [FAILURE, ABSENT, ABSENT, ABSENT],
        FAILURE,
    ),
}


@pytest.mark.parametrize(("marks", "steps", "ending"), STANDINGS.values(), ids=STANDINGS)
def test_standing(marks: Marks, steps: list[Step], ending: Step) -> None:
    where = standing(marks)
    assert list(where.steps[: len(STAGES)]) == steps
    assert where.ending is ending


def test_a_triplet_that_a_person_rejected_is_a_drop_of_review() -> None:
    where = standing(Marks(SEED | POLICY | CANDIDATE | JUDGE | TRIPLET, REVIEW))
    assert where.steps == (RESULT, RESULT, RESULT, RESULT, DROP, ABSENT)
    assert where.ending is DROP


def test_a_contaminated_triplet_is_a_drop_of_seal() -> None:
    where = standing(Marks(SEED | POLICY | CANDIDATE | JUDGE | TRIPLET, SEAL))
    assert where.steps == (RESULT, RESULT, RESULT, RESULT, RESULT, DROP)
    assert where.ending is DROP


def test_a_missing_event_of_an_earlier_stage_is_a_gap() -> None:
    assert standing(Marks(SEED | CANDIDATE)).gap
    assert not standing(Marks(SEED | POLICY | CANDIDATE)).gap


single_marks = st.one_of(
    st.sampled_from([SEED, POLICY, CANDIDATE, JUDGE, TRIPLET]).map(lambda bit: Marks(completed=bit)),
    st.sampled_from([SEED, POLICY, CANDIDATE, JUDGE]).map(lambda bit: Marks(dropped=bit)),
    st.sampled_from([SEED, POLICY, CANDIDATE, JUDGE, ELSEWHERE]).map(lambda bit: Marks(failed=bit)),
)


@given(st.lists(single_marks, min_size=1, max_size=8), st.randoms())
def test_order_and_repetition_of_events_change_nothing(events: list[Marks], random: object) -> None:
    again = events + events
    random.shuffle(again)  # type: ignore[attr-defined]
    assert standing(functools.reduce(operator.or_, again)) == standing(functools.reduce(operator.or_, events))


@given(st.lists(single_marks, min_size=1, max_size=8))
def test_a_record_ends_at_most_once_and_waits_at_most_at_one_stage(events: list[Marks]) -> None:
    steps = standing(functools.reduce(operator.or_, events)).steps[: len(STAGES)]
    assert sum(step in (DROP, FAILURE, PENDING) for step in steps) <= 1
    reached = [step for step in steps if step is not ABSENT]
    assert all(step is RESULT for step in reached[:-1])
    assert list(steps[len(reached) :]) == [ABSENT] * (len(STAGES) - len(reached))
