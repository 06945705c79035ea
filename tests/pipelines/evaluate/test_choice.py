"""Which option a reply settles on."""

from __future__ import annotations

import pytest

from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Scored, Unscored
from gyeol.evaluate.scorer.choice import choice_outcome, chosen_option

CHOICES = ["부산", "대구", "서울", "광주", "제주"]


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("3", 2),
        ("3번", 2),
        ("③", 2),
        ("정답은 ③번입니다.", 2),
        ("정답: 3", 2),
        ("답은 3번이에요. 한강이 흐르는 도시이기 때문입니다.", 2),
        ("(3)", 2),
        ("C", 2),
        ("３", 2),
        ("Ｃ", 2),
        ("C. 서울", 2),
        ("서울입니다.", 2),
        ("The answer is C.", 2),
        ("<think>1번일까? 2번일까?</think>정답은 3번", 2),
        ("5번", 4),
        ("모르겠습니다.", None),
        ("", None),
        ("1번과 3번 사이에서 고민됩니다.", None),
        ("9번", None),
        ("부산이나 서울", None),
        ("정답은 2번이 아니라면 정답은 3번", None),
    ],
)
def test_a_reply_settles_on_one_option_or_on_none(reply: str, option: int | None) -> None:
    assert chosen_option(reply, CHOICES) == option


def test_a_reply_that_settles_on_nothing_is_unscored_not_wrong() -> None:
    item = Item("q1", (), "지리", "q1", {"answer": 2, "choices": CHOICES})
    assert choice_outcome(item, "3번") == Scored(1.0)
    assert choice_outcome(item, "2번") == Scored(0.0)
    assert isinstance(choice_outcome(item, "글쎄요"), Unscored)
