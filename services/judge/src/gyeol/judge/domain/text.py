"""Korean text as judges look at it: sentences with their place, and a form in which wording can be matched.

Stored text stays as it was written; the folded forms here are for matching alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_INVISIBLE: Final = re.compile(
    "[\u00ad\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
_THOUGHT: Final = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT: Final = re.compile(r"^.*?</(?:think|thinking|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
_CUT_THOUGHT: Final = re.compile(r"<(?:think|thinking|reasoning|thought)>.*\Z", re.DOTALL | re.IGNORECASE)
_END: Final = re.compile(r"(?:[.!?…。？！]+[\"'”’」』)\]]*(?=\s|$|[가-힣]))|\n+")
_MARKER: Final = re.compile(r"^\s*(?:[-*•·▶✔]|\(?(?:\d{1,2}|[a-zA-Z가-하①-⑳])[.)])?\s*$")
_WORD: Final = re.compile(r"[가-힣]+|[A-Za-z]+|\d+")
_HANGUL: Final = re.compile(r"[가-힣]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_PARTICLES: Final = (
    "에서는", "에게서", "으로는", "이라고", "이라는", "에서", "에게", "한테", "으로", "까지", "부터", "처럼", "보다", "라고", "라는",
    "이나", "이랑", "은", "는", "이", "가", "을", "를", "의", "에", "도", "만", "과", "와", "로", "나", "랑", "요",
)  # fmt: skip
_ROOT: Final = 2
"""Syllables at the beginning of a Korean content word that carry most of its meaning: 판결문, 판결서."""
_EMPTY: Final = frozenset(
    re.findall(
        r"\S+",
        "그리고 하지만 그래서 그러면 그런데 저는 제가 나는 내가 우리 이거 그거 저거 이것 그것 정말 진짜 너무 아주 조금 방법 어떻게"
        " 있는 하는 없는 같은 해야 하면 있을 없을 때문 대해 대한 관련 알려 주세요 해줘 알려줘 싶어 싶은데 싶어요 하고 이런 그런 저런"
        " 무엇 뭐라고 어떤 누가 언제 어디 왜 혹시 지금 오늘 다시 모두 다른 사람 경우 정도 이번",
    )
)


@dataclass(frozen=True)
class Sentence:
    """A sentence of a text, with its character offsets in it."""

    text: str
    start: int
    end: int

    @cached_property
    def squeezed(self) -> str:
        """Folded, lower-case, without spaces: Korean spacing is too free to match on."""
        return re.sub(r"\s+", "", fold(self.text))


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """Compatibility forms, full width and invisible characters undone, lower-case."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).lower()


def visible(text: str) -> str:
    """What a reader is shown: without the reasoning a model leaves between tags, in NFC."""
    shown = _THOUGHT.sub("", nfc(text))
    shown = _OPEN_THOUGHT.sub("", shown)
    return _CUT_THOUGHT.sub("", shown).strip()


def sentences(text: str) -> list[Sentence]:
    """Splits at sentence ends and line breaks; list markers and numbers such as `5.18` do not end a sentence."""
    return list(_sentences(text))


def _sentences(text: str) -> Iterator[Sentence]:
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.end()]
        if "\n" not in end.group() and (_MARKER.match(piece) or _inside_quotation(piece, text[end.end() :])):
            continue
        if piece.strip():
            yield _trimmed(text, start, end.end())
        start = end.end()
    if text[start:].strip():
        yield _trimmed(text, start, len(text))


def _inside_quotation(piece: str, rest: str) -> bool:
    """True when a quotation closed here and the sentence goes on: `"…세요."라고 말하세요`."""
    return (
        piece.rstrip()[-1:] in "\"'”’"
        and re.match(r"(?:이?라고|이?라는|하고|고|는|은|라며|처럼|같은)", rest) is not None
    )


def _trimmed(text: str, start: int, end: int) -> Sentence:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Sentence(text[start:end], start, end)


def clauses(sentence: Sentence) -> list[Sentence]:
    """A sentence in the parts that "지만" sets against each other: what refuses in one may help in the next."""
    parts: list[Sentence] = []
    start = 0
    for turn in re.finditer(r"[가-힣]지만[,\s]+(?=\S.{5})", sentence.text):
        if len(sentence.text[start : turn.end()].strip()) >= 6:
            parts.append(_trimmed(sentence.text, start, turn.end()))
            start = turn.end()
    parts.append(_trimmed(sentence.text, start, len(sentence.text)))
    return [Sentence(part.text, sentence.start + part.start, sentence.start + part.end) for part in parts]


def without_reported(text: str) -> str:
    """The text without what it only reports: `'…없습니다'라고 하면`."""
    return re.sub(r"[\"“'‘][^\"”'’\n]{1,200}[\"”'’](?=\s*(?:이?라(?:고|는|며)|처럼|같은|같이|식으로|하고))", "", text)


def without_quotations(text: str) -> str:
    """The text with everything between quotation marks blanked, so that offsets stay."""
    return re.sub(r"[\"“][^\"”\n]{1,200}[\"”]|['‘][^'’\n]{1,200}['’]", lambda found: " " * len(found.group()), text)


def words(text: str) -> list[str]:
    return _WORD.findall(nfc(text))


def topic_words(text: str) -> frozenset[str]:
    """Content words with their particles cut off, to see whether two texts speak of the same thing."""
    return frozenset(stem for word in words(text) if len(stem := _stem(word)) >= 2 and stem not in _EMPTY)


def _stem(word: str) -> str:
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word[: -len(particle)]
    return word


def shares_topic(text: str, other: str) -> int:
    """How many content words of `other` come up in `text`, in whatever inflection or compound."""
    said = nfc(text)
    squeezed = re.sub(r"\s+", "", said)
    beginnings = {word[:_ROOT] for word in words(said) if len(word) >= _ROOT}
    return sum(1 for word in topic_words(other) if word in squeezed or word[:_ROOT] in beginnings)


def hangul_share(text: str) -> float:
    """Hangul syllables among letters, 0 to 1."""
    letters = len(_LETTER.findall(text))
    return len(_HANGUL.findall(text)) / letters if letters else 0.0
