"""Which option a reply settles on."""

from __future__ import annotations

import pytest

from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored
from gyeol.evaluate.scorer.choice import chosen_option
from gyeol.evaluate.scorer.option import option_outcomes

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
        ("보기 3", 2),
        ("3가지 이유로 정답은 2번입니다.", 1),
    ],
)
def test_a_reply_settles_on_one_option_or_on_none(reply: str, option: int | None) -> None:
    assert chosen_option(reply, CHOICES) == option


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("**정답: C**", 2),
        ("정답은 **C. 서울**입니다.", 2),
        ("따라서 정답은 $\\boxed{C}$ 입니다.", 2),
        ("C가 정답입니다. 한강이 흐르기 때문입니다.", 2),
        ("저는 C를 고르겠습니다.", 2),
        ("A는 아닙니다. 정답은 C입니다.", 2),
        ("답: ⓒ", 2),
        ("A와 C 가운데 고르기 어렵습니다.", None),
        ("정답은 F입니다.", None),
        ("<think>A? B?", None),
        ("최종 답변: (D)", 3),
        ("선택지 B", 1),
        ("정답은Ｄ입니다", 3),
        ("두 번째로 유명한 도시는 부산과 서울이에요.", None),
        ("저는 C라고 생각합니다.", 2),
        ("C로 하겠습니다.", 2),
        ("C\n\n해설: A는 항구 도시입니다.", 2),
        ("C\nA. 부산은 항구입니다.\nB. 대구는 내륙입니다.", 2),
        ("정답은 C, A는 부산입니다.", 2),
        ("A와 B 중에 고민했지만 C를 고르겠습니다.", 2),
        ("세 번째 보기입니다.", 2),
        ("정답은 C입니다.\n\nA. 부산 - 틀림\nB. 대구 - 틀림", 2),
        ("정답은 A와 C입니다.", None),
        ("정답은 A, C입니다.", None),
        ("정답: A/C", None),
        ("A. 부산\nB. 대구\nC. 서울\nD. 광주", None),
        ("정답은 C가 아닙니다.", None),
        ("정답은 A입니다. 아니, 다시 생각해 보니 정답은 C입니다.", None),
    ],
)
def test_letters_are_read_where_options_are_listed_by_letters(reply: str, option: int | None) -> None:
    assert chosen_option(reply, CHOICES, "letters") == option


def test_a_number_that_is_the_text_of_an_option_is_that_option_when_letters_mark_them() -> None:
    assert chosen_option("3", ["1", "3", "5", "7"], "letters") == 1
    assert chosen_option("3", ["1", "3", "5", "7"], "numbers") == 2


def test_an_option_that_is_part_of_another_is_not_taken_for_it() -> None:
    assert chosen_option("서울 특별시입니다.", ["서울", "서울 특별시", "부산"]) == 1


def test_a_reply_that_settles_on_nothing_is_unscored_not_wrong() -> None:
    item = Item("q1", (), "지리", "q1", {"answer": 2, "choices": CHOICES})
    assert outcome(item, "3번") == Scored(1.0)
    assert outcome(item, "2번") == Scored(0.0)
    assert isinstance(outcome(item, "글쎄요"), Unscored)


def outcome(item: Item, reply: str) -> Outcome:
    return option_outcomes("choice", item, Answer((reply,), "stop"), ["correct"])["correct"]
