"""Finds questions that overlap with evaluation items, without comparing each with each.

MinHash proposes pairs; the exact Jaccard similarity of `domain.overlap` decides, so the proposals' chance never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from gyeol.ledger.domain.overlap import JACCARD, EvaluationItem, grams, shingles, similarity

if TYPE_CHECKING:
    from rensa import RMinHash, RMinHashLSH

_PERMUTATIONS: Final = 128
_BANDS: Final = 32
"""Four hashes a band: a pair at the limit is missed once in ten million."""


def overlapping(questions: Iterable[tuple[str, Sequence[str]]], items: Sequence[EvaluationItem]) -> dict[str, str]:
    """Names of the evaluation items that questions overlap with, by record id.

    Args:
      questions: Record ids with the texts of their prompts.
      items: Evaluation items.
    """
    from rensa import RMinHashLSH

    known: dict[str, str] = {}
    index = RMinHashLSH(JACCARD, _PERMUTATIONS, _BANDS)
    parts: dict[int, frozenset[str]] = {}
    for number, item in enumerate(items):
        for gram in grams(item.text):
            known.setdefault(gram, item.name)
        pieces = shingles(item.text)
        if pieces:
            parts[number] = pieces
            index.insert(number, _sketch(pieces))
    found: dict[str, str] = {}
    for record_id, texts in questions:
        for text in texts:
            name = _same_words(text, known) or _nearly_same(text, index, parts, items)
            if name:
                found[record_id] = name
                break
    return found


def _same_words(text: str, known: dict[str, str]) -> str | None:
    return next((known[gram] for gram in sorted(grams(text)) if gram in known), None)


def _nearly_same(
    text: str, index: RMinHashLSH, parts: dict[int, frozenset[str]], items: Sequence[EvaluationItem]
) -> str | None:
    pieces = shingles(text)
    if not pieces:
        return None
    near = [key for key in index.query(_sketch(pieces)) if similarity(pieces, parts[key]) >= JACCARD]
    return items[min(near)].name if near else None


def _sketch(pieces: frozenset[str]) -> RMinHash:
    from rensa import RMinHash

    sketch = RMinHash(_PERMUTATIONS, 1)
    sketch.update(sorted(pieces))
    return sketch
