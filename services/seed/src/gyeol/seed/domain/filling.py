"""Every way to fill a mold, in an order that spreads.

The fillings of a mold are numbered; walking the numbers in steps of about the golden ratio visits each of them once and
uses the values of every slot evenly from the start, so that a short prefix already shows the mold's whole range.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping

from gyeol.seed.domain.stock import Mold
from gyeol.seed.domain.turn import taking_turns

Filling = Mapping[str, str]

_GOLDEN = (math.sqrt(5) - 1) / 2


def fillings(mold: Mold, random_seed: int) -> Iterator[Filling]:
    """Returns every filling once; those with and without optional slots take turns."""
    patterns = _patterns(mold)
    first = chance(random_seed, mold.id) % len(patterns)
    return taking_turns(_walk(mold, pattern, random_seed) for pattern in (*patterns[first:], *patterns[:first]))


def count(mold: Mold) -> int:
    """Returns in how many ways a mold can be filled."""
    return sum(_size(mold, pattern) for pattern in _patterns(mold))


def chance(random_seed: int, *parts: str) -> int:
    """Returns a number that looks random and depends on nothing but its arguments."""
    text = "\x1f".join((str(random_seed), *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _patterns(mold: Mold) -> list[tuple[str, ...]]:
    """Returns the sets of slots that may be filled together, the fullest first."""
    chosen = (
        set(subset)
        for size in range(len(mold.optional), -1, -1)
        for subset in itertools.combinations(mold.optional, size)
    )
    return [tuple(sorted({*mold.required, *subset})) for subset in chosen]


def _size(mold: Mold, pattern: tuple[str, ...]) -> int:
    return math.prod(len(mold.values[slot]) for slot in pattern)


def _walk(mold: Mold, pattern: tuple[str, ...], random_seed: int) -> Iterator[Filling]:
    size = _size(mold, pattern)
    start = chance(random_seed, mold.id, *pattern)
    step = max(1, round(size * _GOLDEN))
    while math.gcd(step, size) != 1:
        step += 1
    for index in range(size):
        number = (start + index * step) % size
        filling: dict[str, str] = {}
        for slot in pattern:
            values = mold.values[slot]
            number, choice = divmod(number, len(values))
            filling[slot] = values[choice]
        yield filling
