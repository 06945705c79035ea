"""Names of categories are the same in whatever case, number and separators a copy writes them."""

from __future__ import annotations

import pytest

from gyeol.evaluate.data.spelling import alike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hate and Unfairness", "hate_unfairness"),
        ("Hate and Unfairness", "Hate & Unfairness"),
        ("Illegal or Unethical", "Illegal/Unethical"),
        ("Copyrights", "copyright"),
        ("Self-harm", "Self Harm"),
        ("편견/고정관념", "편견 / 고정관념"),
    ],
)
def test_a_name_is_known_in_other_spellings(one: str, other: str) -> None:
    assert alike(one) == alike(other)


def test_names_that_only_hold_each_other_stay_apart() -> None:
    assert alike("Illegal Activities") != alike("Illegal")
