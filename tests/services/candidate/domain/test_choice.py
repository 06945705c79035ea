from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gyeol.candidate.domain.choice import combinations, number, pick


@given(st.lists(st.integers(min_value=1, max_value=5), min_size=1, max_size=4), st.text(max_size=5))
def test_every_combination_comes_once(sizes: list[int], key: str) -> None:
    total = 1
    for size in sizes:
        total *= size
    found = list(combinations(sizes, key))

    assert len(found) == len(set(found)) == total
    assert all(index < size for combination in found for index, size in zip(combination, sizes, strict=True))


def test_the_same_parts_give_the_same_choice_and_others_another_order() -> None:
    assert list(combinations([3, 4], "a")) == list(combinations([3, 4], "a"))
    assert list(combinations([3, 4], "a")) != list(combinations([3, 4], "b"))
    assert pick("abc", "x") == pick("abc", "x")
    assert number("ab", "c") != number("a", "bc")


def test_an_empty_shelf_gives_no_combination() -> None:
    assert list(combinations([2, 0], "a")) == []
