"""Choices that look random and are not: the same seed always gives the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from math import gcd
from typing import TypeVar

T = TypeVar("T")


def number(*parts: str) -> int:
    """A number that stands for the parts."""
    return int.from_bytes(hashlib.sha256("\x1f".join(parts).encode()).digest()[:8], "big")


def pick(options: Sequence[T], *parts: str) -> T:
    """One of the options."""
    return options[number(*parts) % len(options)]


def combinations(sizes: Sequence[int], *parts: str) -> Iterator[tuple[int, ...]]:
    """Every combination of one index below each size, once, in an order of its own."""
    total = 1
    for size in sizes:
        total *= size
    if not total:
        return
    start = number(*parts) % total
    step = 1 + number("step", *parts) % max(1, total - 1)
    while gcd(step, total) != 1:
        step += 1
    for turn in range(total):
        place = (start + turn * step) % total
        indices = []
        for size in sizes:
            place, index = divmod(place, size)
            indices.append(index)
        yield tuple(indices)
