from __future__ import annotations

import pytest

from gyeol.predictor.domain import Finish, Generated, Piece, Sampling
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.vocabulary import Vocabulary
from support import tiny_model

TEXT = "서울은 대한민국의 수도입니다. 정답은 ③번입니다."


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    words = tiny_model.tokenizer()
    return Vocabulary(words.backend_tokenizer, frozenset({words.eos_token_id}), len(words))


def said(vocabulary: Vocabulary, text: str, sampling: Sampling) -> list[Piece | Generated]:
    """What a row says while it is given the tokens of a text."""
    heard: list[Piece | Generated | Exception] = []
    row = Row([], sampling, None, vocabulary, heard.append)
    for token in vocabulary.tokens(text, special=False):
        if not row.take(token, None):
            break
    return [one for one in heard if isinstance(one, Piece | Generated)]


def whole(heard: list[Piece | Generated]) -> Generated:
    assert isinstance(heard[-1], Generated)
    return heard[-1]


def test_pieces_make_up_the_whole(vocabulary: Vocabulary) -> None:
    heard = said(vocabulary, TEXT + "<|end|>", Sampling(100, streamed=True))
    assert whole(heard).text == TEXT
    assert "".join(one.text for one in heard if isinstance(one, Piece)) == TEXT
    assert len(heard) > 10


def test_no_piece_holds_half_a_syllable(vocabulary: Vocabulary) -> None:
    split = [len(token) for token in map(vocabulary.token_text, vocabulary.tokens(TEXT, special=False))]
    assert max(split) > 5, "the tokenizer splits no syllable, so this test would show nothing"
    assert not [one for one in said(vocabulary, TEXT, Sampling(100, streamed=True)) if "\ufffd" in one.text]


def test_a_text_that_ends_within_a_syllable_tells_its_broken_end_once(vocabulary: Vocabulary) -> None:
    tokens = len(vocabulary.tokens("서", special=False))
    assert tokens > 1
    heard = said(vocabulary, "서울", Sampling(tokens - 1, streamed=True))
    assert "".join(one.text for one in heard if isinstance(one, Piece)) == whole(heard).text
    assert whole(heard).text.count("\ufffd") >= 1


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(
    ("stop", "kept"),
    [
        (("수도",), "서울은 대한민국의 "),
        (("입니다", "수도입"), "서울은 대한민국의 "),
        ((". 정답은 ③",), "서울은 대한민국의 수도입니다"),
        (("서울",), ""),
        (("부산",), TEXT),
    ],
)
def test_a_stop_string_ends_the_text_before_it(
    vocabulary: Vocabulary, stop: tuple[str, ...], kept: str, streamed: bool
) -> None:
    heard = said(vocabulary, TEXT + "<|end|>", Sampling(100, stop=stop, streamed=streamed))
    assert (whole(heard).text, whole(heard).finish) == (kept, Finish.STOP)
    if streamed:
        assert "".join(one.text for one in heard if isinstance(one, Piece)) == kept


def test_a_text_that_may_not_be_longer_says_so(vocabulary: Vocabulary) -> None:
    found = whole(said(vocabulary, TEXT, Sampling(7)))
    assert (found.finish, found.tokens) == (Finish.LENGTH, 7)


def test_a_part_of_a_syllable_is_written_as_bytes(vocabulary: Vocabulary) -> None:
    tokens = vocabulary.tokens("뷁", special=False)
    written = "".join(vocabulary.token_text(token).removeprefix("bytes:") for token in tokens)
    assert written == "\\xeb\\xb7\\x81"
