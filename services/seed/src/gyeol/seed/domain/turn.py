"""Taking turns: the way a sequence stays balanced."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def taking_turns(walks: Iterable[Iterator[T]]) -> Iterator[T]:
    """Yields one item of each iterator in turn; who has no more leaves the round."""
    going = list(walks)
    while going:
        still: list[Iterator[T]] = []
        for walk in going:
            for item in itertools.islice(walk, 1):
                yield item
                still.append(walk)
        going = still
