"""When a question overlaps with an evaluation item: the same 13 words in a row, or nearly the same text.

Text is folded for comparing only (NFKC, case, punctuation, zero-width characters); what is stored stays as it is.
Short Korean questions rarely have 13 words: a text shorter than that is one gram as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

NGRAM = 13
"""Words in a row that must not be shared."""

SHINGLE = 5
"""Characters of the shingles of which the Jaccard similarity is taken."""

JACCARD = 0.8
"""Similarity from which two texts count as the same."""


@dataclass(frozen=True, slots=True)
class EvaluationItem:
    suite: str
    item_id: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.suite}/{self.item_id}"


def words(text: str) -> list[str]:
    """The words of a text, folded for comparing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return re.findall(r"\w+", kept)


def grams(text: str) -> frozenset[str]:
    """Every run of 13 words, or the whole text when it is shorter; empty when there is no word in it."""
    parts = words(text)
    if not parts:
        return frozenset()
    return frozenset(" ".join(parts[start : start + NGRAM]) for start in range(max(1, len(parts) - NGRAM + 1)))


def shingles(text: str) -> frozenset[str]:
    """Every run of five characters, spaces left out, because Korean spacing varies among careful writers."""
    joined = "".join(words(text))
    if not joined:
        return frozenset()
    return frozenset(joined[start : start + SHINGLE] for start in range(max(1, len(joined) - SHINGLE + 1)))


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity, 0 to 1; 0 when either is empty."""
    if not one or not other:
        return 0.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
