"""Whether sentences can stand together in one answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gyeol.candidate.domain.material import Material, Passage

_ARTICLE: Final = re.compile(r"제\d+조(?:의\d+)?")
_LAW: Final = re.compile(r"[가-힣ㆍ·]*(?:법률|법|특례법|기본법|시행령)(?=\s*제\d|은|이|에|의|을|으로|상|\s)")
_OFFICE: Final = re.compile(
    r"(?<!\d)1\d{2,3}(?:-\d{4})?(?!\d)|[가-힣]+(?:센터|위원회|공단|진흥원|감독원|교육지원청|법원|상담소|구조공단|민원상담)"
)
_CONNECTIVE: Final = re.compile(
    r"^(?:그래도|하지만|그런데|그렇지만|다만|대신|그러니|그래서|그리고|그럼에도|또한|또)[ ,]"
)
_HANGUL: Final = re.compile(r"[가-힣]")
_FIRST: Final = re.compile(r"^\S+")
_SHINGLE: Final = 7
"""Syllables in a row that no two sentences of an answer share, apart from what the question is about."""


@dataclass(frozen=True)
class Piece:
    """A passage and what matters when it meets others."""

    passage: Passage
    laws: frozenset[str]
    offices: frozenset[str]
    names: int
    """How often it names what the question is about."""
    connective: bool
    first: str
    shingles: frozenset[str]
    syllables: int
    polite: bool
    """Whether it keeps the register of the policy."""


def piece(passage: Passage, material: Material) -> Piece:
    """Looks at a passage once."""
    text = passage.text
    named = [value for value in material.slots.values() if len(value) >= 2]
    bare = text
    for value in named:
        bare = bare.replace(value, "")
    squeezed = re.sub(r"[^가-힣]", "", bare)
    known = {name for name in material.statutes if name in text}
    found = _FIRST.match(text)
    return Piece(
        passage,
        laws=frozenset({passage.statute} - {""})
        | known
        | frozenset(_LAW.findall(text))
        | frozenset(_ARTICLE.findall(text)),
        offices=frozenset({passage.institution} - {""}) | frozenset(_OFFICE.findall(text)),
        names=sum(text.count(value) for value in named),
        connective=_CONNECTIVE.match(text) is not None,
        first=found.group() if found else "",
        shingles=frozenset(squeezed[at : at + _SHINGLE] for at in range(len(squeezed) - _SHINGLE + 1)),
        syllables=len(_HANGUL.findall(text)),
        polite=_keeps(text, material.register),
    )


def friction(pieces: Sequence[Piece], longest: int) -> float:
    """How badly the pieces stand together, in this order; 0 is a good answer.

    Args:
      pieces: In the order of the answer.
      longest: Hangul syllables that the answer may have.
    """
    total = 8.0 if pieces and pieces[0].connective else 0.0
    total += 4.0 * sum(not each.polite for each in pieces)
    total += 0.05 * max(0, sum(each.syllables for each in pieces) - longest)
    names = sum(each.names for each in pieces)
    offices = any(each.offices for each in pieces)
    total += 1.0 * max(0, names - 2) + (0.0 if names else 0.5) + (0.0 if names or offices else 3.0)
    for at, one in enumerate(pieces):
        for other in pieces[at + 1 :]:
            total += 6.0 * bool(one.laws & other.laws) + 6.0 * bool(one.offices & other.offices)
            total += 2.0 * bool(one.shingles & other.shingles)
            total += 1.0 * (one.first == other.first) + 1.0 * (one.connective and other.connective)
    return total


def syllables(text: str) -> int:
    """Hangul syllables of a text."""
    return len(_HANGUL.findall(text))


def _keeps(text: str, register: str) -> bool:
    ends = [end.rstrip(" .!?~\"'”’)") for end in re.split(r"(?<=[.!?])\s+", text.strip()) if end]
    formal = [end.endswith(("니다", "니까", "십시오")) for end in ends]
    return all(formal) if register == "hapsyo" else not any(formal)
