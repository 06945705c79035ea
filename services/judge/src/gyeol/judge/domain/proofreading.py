"""Proofreading: what a careful Korean editor would mark in an answer, found by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gyeol.judge.domain.fault import Fault, Wording
from gyeol.judge.domain.legibility import broken, loops, repetitions, unfinished
from gyeol.judge.domain.particle import disagreements
from gyeol.judge.domain.speech import register_faults
from gyeol.judge.domain.text import hangul_share, nfc, without_quotations

LONGEST: Final = 1200
"""Characters after which an answer is a lecture."""
READ: Final = 6000
"""Characters that are read at most; what follows is too long anyway."""
SHORTEST: Final = 8
"""Hangul syllables below which a text answers nothing."""

_OWN_WORDS: Final = frozenset({"you-pronoun", "translationese", "scolding"})
"""Kinds that are no fault in words that the text only quotes."""
_FOREIGN: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\u0400-\u04ff\u0600-\u06ff\u0e00-\u0e7f]+")
_IN_BRACKETS: Final = re.compile(r"[(（][^()（）]*[)）]")
_DOUBLED: Final = re.compile(
    r"(?:요요|니다니다|습니다습|다다|세요요)(?=[.!?\s]|$)|(?<![가-힣])(?:를|을|은|는|에서|으로)(?=\s+(?:를|을|은|는|에서|으로)(?:\s|$))"
)


def faults(text: str, wordings: Sequence[Wording], register: str = "") -> list[Fault]:
    """Every fault of the text, in its order.

    Args:
      text: The text as it was written.
      wordings: The lexicon.
      register: `haeyo` or `hapsyo`; empty: any consistent polite register.
    """
    if len(text) > READ:
        return faults(text[: text.rfind(".", 0, READ) + 1 or READ], wordings, register)
    if text != nfc(text):
        return [Fault("not-nfc", 0, len(text), "", "유니코드 NFC로 정규화하세요")]
    spoken = without_quotations(text)
    found = [f for wording in wordings for f in wording.faults(spoken if wording.kind in _OWN_WORDS else text)]
    found += disagreements(text)
    found += register_faults(text, register)
    found += [_fault(text, "broken", *span, "읽을 수 없는 조각을 지우세요") for span in broken(text)]
    found += [_fault(text, "broken", *hit.span(), "겹친 말을 지우세요") for hit in _DOUBLED.finditer(text)]
    found += [_fault(text, "repetition", s.start, s.end, "되풀이한 문장을 지우세요") for s in repetitions(text)]
    found += _whole_text(text)
    return sorted(_without_overlaps(found), key=lambda fault: (fault.start, fault.end, fault.kind))


def grade(found: Sequence[Fault]) -> float:
    """1 to 5: a serious fault costs two points, a blemish half a point."""
    return max(1.0, 5.0 - sum(2.0 if fault.serious else 0.5 for fault in found))


def _whole_text(text: str) -> list[Fault]:
    found = []
    outside = _IN_BRACKETS.sub(lambda hit: " " * len(hit.group()), text)
    if hangul_share(text) > 0.3:
        found += [_fault(text, "foreign-script", *hit.span(), "우리말로 쓰세요") for hit in _FOREIGN.finditer(outside)]
    if loops(text):
        found.append(_fault(text, "repetition", 0, len(text), "같은 말이 끝없이 되풀이됩니다"))
    if unfinished(text):
        found.append(_fault(text, "broken", max(0, len(text) - 20), len(text), "마지막 문장을 맺으세요"))
    if len(text) > LONGEST:
        found.append(_fault(text, "too-long", LONGEST, len(text), f"{LONGEST}자 안으로 줄이세요"))
    if len(re.findall(r"[가-힣]", text)) < SHORTEST:
        found.append(_fault(text, "too-short", 0, len(text), "답이 되는 문장을 쓰세요"))
    return found


def _fault(text: str, kind: str, start: int, end: int, remedy: str) -> Fault:
    return Fault(kind, start, end, text[start:end], remedy)


def _without_overlaps(found: list[Fault]) -> list[Fault]:
    """One fault of a kind at a place."""
    kept: list[Fault] = []
    ends: dict[str, int] = {}
    for fault in sorted(found, key=lambda fault: (fault.start, -fault.end)):
        if fault.start >= ends.get(fault.kind, -1):
            kept.append(fault)
            ends[fault.kind] = fault.end
    return kept
