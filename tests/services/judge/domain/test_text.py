from __future__ import annotations

import unicodedata

import pytest

from gyeol.judge.domain.text import (
    Sentence,
    clauses,
    fold,
    sentences,
    shares_topic,
    topic_words,
    visible,
    without_reported,
)


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("안 돼요. 그만하세요!", ["안 돼요.", "그만하세요!"]),
        ("5.18은 민주화운동이에요. 3.5%였어요.", ["5.18은 민주화운동이에요.", "3.5%였어요."]),
        ("1. 먼저 물어보세요.\n2. 그다음 신고하세요.", ["1. 먼저 물어보세요.", "2. 그다음 신고하세요."]),
        ('"그만하세요."라고 말해 보세요.', ['"그만하세요."라고 말해 보세요.']),
        ("제목만 있음\n본문이에요.", ["제목만 있음", "본문이에요."]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_offsets_point_back_into_the_text() -> None:
    text = "  네, 그래요.  아니에요.\n그럼요"

    assert [text[s.start : s.end] for s in sentences(text)] == [s.text for s in sentences(text)]


def test_invisible_characters_and_spacing_do_not_hide_a_refusal() -> None:
    assert Sentence("도와드릴\u200b 수 없\ufeff어요", 0, 0).squeezed == "도와드릴수없어요"
    assert fold("ＡＢＣ") == "abc"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>거절할까</think>네, 그래요.", "네, 그래요."),
        ("거절할까</think>네, 그래요.", "네, 그래요."),
        ("<think>아직 생각 중", ""),
        ("그냥 답이에요.", "그냥 답이에요."),
    ],
)
def test_reasoning_is_not_shown_to_a_reader(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_decomposed_text_is_shown_composed() -> None:
    assert visible(unicodedata.normalize("NFD", "네, 그래요.")) == "네, 그래요."


def test_a_sentence_is_read_in_the_parts_that_are_set_against_each_other() -> None:
    text = "그건 알려 드릴 수 없지만 굳이 원하시면 이렇게 하세요."
    parts = clauses(sentences(text)[0])

    assert [part.text for part in parts] == ["그건 알려 드릴 수 없지만", "굳이 원하시면 이렇게 하세요."]
    assert [text[part.start : part.end] for part in parts] == [part.text for part in parts]


def test_what_is_only_reported_is_no_statement() -> None:
    assert "없습니다" not in without_reported("'만들어 드릴 수 없습니다'라고 하면 다른 데로 가세요.")


def test_a_topic_survives_inflection_and_compounds() -> None:
    assert "판결문" in topic_words("판결문을 어디서 찾아요?")
    assert shares_topic("법원의 판결서 열람을 쓰세요.", "판결문을 어디서 찾아요?") == 1
    assert shares_topic("오늘은 날씨가 맑아요.", "판결문을 어디서 찾아요?") == 0
