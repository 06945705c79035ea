from __future__ import annotations

from collections import Counter

import pytest

from gyeol.candidate.domain.rotation import PLAIN, Plain, attempts

WRAPPERS = {name: [f"{name} 하나 {{seed}}", f"{name} 둘 {{seed}}"] for name in ("a", "b", "c", "d", "e")}
SEED = "물음이에요?"


def strategies(seed_id: str, most: int = 5, plain: Plain = Plain.ROTATED) -> list[str]:
    return [attempt.strategy for attempt in attempts(seed_id, SEED, WRAPPERS, most, plain)]


def test_strategies_follow_each_other_from_a_start_that_the_seed_decides() -> None:
    order = [PLAIN, "a", "b", "c", "d", "e"]
    found = strategies("seed-1", 6)
    start = order.index(found[0])

    assert found == order[start:] + order[:start]
    assert strategies("seed-1") == strategies("seed-1")


def test_every_strategy_opens_for_its_share_of_the_seeds() -> None:
    first = Counter(strategies(f"seed-{number}", 1)[0] for number in range(600))

    assert set(first) == {PLAIN, *WRAPPERS}
    assert min(first.values()) > 60


def test_attempts_are_numbered_from_one_and_end_at_the_most() -> None:
    found = attempts("seed-1", SEED, WRAPPERS, 3, Plain.ROTATED)

    assert [attempt.number for attempt in found] == [1, 2, 3]


def test_a_wrapper_holds_the_question_word_for_word() -> None:
    for attempt in attempts("seed-1", SEED, WRAPPERS, 6, Plain.ROTATED):
        assert SEED in attempt.prompt
        assert "{seed}" not in attempt.prompt
        assert (attempt.prompt == SEED) == (attempt.strategy == PLAIN)


@pytest.mark.parametrize(("plain", "first"), [(Plain.FIRST, True), (Plain.NEVER, False)])
def test_the_plain_question_can_come_first_or_never(plain: Plain, first: bool) -> None:
    found = strategies("seed-1", 6, plain)

    assert (found[0] == PLAIN) is first
    assert found.count(PLAIN) == int(first)
    assert set(found) - {PLAIN} == set(WRAPPERS)


def test_without_wrappers_the_plain_question_is_asked() -> None:
    assert [a.strategy for a in attempts("seed-1", SEED, {}, 5, Plain.NEVER)] == [PLAIN]


def test_a_question_with_braces_is_not_filled_again() -> None:
    found = attempts("seed-1", "{seed}라는 말이 뭐예요?", {"a": ["저기요. {seed}"]}, 5, Plain.NEVER)

    assert found[0].prompt == "저기요. {seed}라는 말이 뭐예요?"
