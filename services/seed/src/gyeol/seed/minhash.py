"""Finds near-duplicates among texts: candidates by MinHash, confirmed by counting."""

from __future__ import annotations

from typing import Final

from rensa import RMinHash, RMinHashLSH

LIMIT: Final = 0.8
"""Jaccard similarity of character 5-grams from which two texts are the same question."""

_GRAM: Final = 5
_PERMUTATIONS: Final = 128
_BANDS: Final = 32
"""Four hashes a band: a pair at the limit is missed once in ten million."""


def grams(text: str) -> frozenset[str]:
    """Returns the character 5-grams of a text; a shorter text is one gram."""
    return frozenset(text[start : start + _GRAM] for start in range(max(1, len(text) - _GRAM + 1)))


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)


class MinHashNearness:
    """Remembers texts; holds them all, since a candidate is confirmed on the text itself."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._index = RMinHashLSH(LIMIT, _PERMUTATIONS, _BANDS)

    def nearest(self, text: str) -> float:
        own = grams(text)
        similarities = (jaccard(own, grams(self._texts[key])) for key in self._index.query(_sketch(own)))
        return max((value for value in similarities if value >= LIMIT), default=0.0)

    def remember(self, text: str) -> None:
        self._index.insert(len(self._texts), _sketch(grams(text)))
        self._texts.append(text)


def _sketch(tokens: frozenset[str]) -> RMinHash:
    sketch = RMinHash(_PERMUTATIONS, 1)
    sketch.update(sorted(tokens))
    return sketch
