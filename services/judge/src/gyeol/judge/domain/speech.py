"""Speech levels: how each sentence of a Korean text addresses the reader, and whether the text keeps to one level."""

from __future__ import annotations

import enum
import re
from typing import Final

from gyeol.judge.domain.fault import Fault
from gyeol.judge.domain.text import Sentence, sentences, without_quotations

_TAIL: Final = re.compile(r"[^가-힣a-zA-Z0-9]+$")
_HAPSYO: Final = re.compile(r"(?:니다|니까|십시오|읍시다|[가-힣]시다|십시요)$")
_EITHER: Final = re.compile(r"(?:세요|셔요|지요|죠)$")
_HAEYO: Final = re.compile(r"요$")
_PLAIN: Final = re.compile(
    r"(?:다|[가-힣](?:해|야|어|아|지|네|군|래|자|냐|거든|잖아|라고|줘|봐|돼|마|걸|니|는데|게)|[가-힣]라)$"
)
_NOUN: Final = re.compile(
    r"(?:이야|언니|어머니|아버지|할머니|할아버지|아주머니|가게|얘기|바다|동네|나라|아가|여자|남자|아이|날짜|숫자|피해자|당사자|관계자|전문의|가해자)$"
)
_MINORITY: Final = 0.25
_REMNANT: Final = 4
"""Syllables below which a sentence is a call or what a quotation left over."""


class Level(enum.Enum):
    """Level of one sentence."""

    HAPSYO = "hapsyo"
    HAEYO = "haeyo"
    EITHER = "either"
    """-세요, -지요: at home in both polite levels, so it shows neither."""
    PLAIN = "plain"
    """반말, or the written 해라체."""
    NONE = "none"
    """A heading, a list item, a quotation."""


def level(sentence: Sentence) -> Level:
    """Reads the level off the end of a sentence."""
    spoken = _TAIL.sub("", sentence.squeezed[-60:])
    if len(spoken) < _REMNANT:
        return Level.NONE
    ended = re.search(r"[.!?~…]", sentence.text[-3:]) is not None
    if _HAPSYO.search(spoken):
        return Level.HAPSYO
    if _EITHER.search(spoken):
        return Level.EITHER
    if _HAEYO.search(spoken):
        return Level.HAEYO
    if ended and len(sentence.text.split()) >= 2 and _PLAIN.search(spoken) and not _NOUN.search(spoken):
        return Level.PLAIN
    return Level.NONE


def register_faults(text: str, register: str = "") -> list[Fault]:
    """Sentences that leave the register of the text.

    Args:
      text: The text.
      register: `haeyo` or `hapsyo`; empty: the one that most sentences keep.
    """
    spoken = [(sentence, level(sentence)) for sentence in sentences(without_quotations(text))]
    plain = [sentence for sentence, kind in spoken if kind is Level.PLAIN]
    hapsyo = [sentence for sentence, kind in spoken if kind is Level.HAPSYO]
    haeyo = [sentence for sentence, kind in spoken if kind is Level.HAEYO]
    polite = len(hapsyo) + len(haeyo) + sum(kind is Level.EITHER for _, kind in spoken)
    if plain and polite == 0:
        return [_fault(text, "plain-register", sentence, "존댓말로 쓰세요") for sentence in plain]
    faults = [_fault(text, "mixed-register", sentence, "다른 문장처럼 존댓말로 맺으세요") for sentence in plain]
    wanted = register or ("hapsyo" if len(hapsyo) >= len(haeyo) else "haeyo")
    strays, kept = (haeyo, hapsyo) if wanted == "hapsyo" else (hapsyo, haeyo)
    name = "합쇼체(-습니다)" if wanted == "hapsyo" else "해요체(-어요)"
    if strays and not kept and register:
        faults += [_fault(text, "wrong-register", sentence, f"{name}로 쓰세요") for sentence in strays]
    elif len(strays) >= 2 or (strays and len(strays) / (len(strays) + len(kept)) >= _MINORITY):
        faults += [_fault(text, "mixed-register", sentence, f"다른 문장처럼 {name}로 맺으세요") for sentence in strays]
    return sorted(faults, key=lambda fault: fault.start)


def _fault(text: str, kind: str, sentence: Sentence, remedy: str) -> Fault:
    return Fault(kind, sentence.start, sentence.end, text[sentence.start : sentence.end], remedy)
