"""What the seed service can do, whichever door the request came through."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from gyeol.seed.domain.seed import Made, SeedKind
from gyeol.seed.domain.sequence import Nearness, Recipe, capacity, sequence
from gyeol.seed.domain.split import Split
from gyeol.seed.domain.stock import Stock
from gyeol.seed.errors import PackMismatchError

SEQUENCES: Final = 64
"""Sequences kept; the least recently used one is forgotten and made again when it is asked for."""


class Stocks(Protocol):
    """Where the molds come from."""

    async def stock(self, culture: str) -> Stock:
        """Returns the molds and probes of a culture as they are now."""


@dataclass(frozen=True)
class Request:
    culture: str
    stratum: str
    """Without suffix."""
    kind: SeedKind
    split: Split
    random_seed: int
    offset: int
    count: int
    pack_digest: str = ""
    """State of the pack that is wanted; empty: whichever there is."""


@dataclass(frozen=True)
class Batch:
    made: tuple[Made, ...]
    """Shorter than asked for when the sequence ends."""
    capacity: int
    """Different questions the stratum can give, near-duplicates included."""


class _Progress:
    """A sequence as far as anybody has asked for it."""

    def __init__(self, seeds: Iterator[Made]) -> None:
        self._seeds = seeds
        self._made: list[Made] = []
        self._lock = asyncio.Lock()

    async def part(self, offset: int, count: int) -> tuple[Made, ...]:
        async with self._lock:
            if offset + count > len(self._made):
                await asyncio.to_thread(self._reach, offset + count)
        return tuple(self._made[offset : offset + count])

    def _reach(self, length: int) -> None:
        for made in self._seeds:
            self._made.append(made)
            if len(self._made) >= length:
                return


class Seeding:
    """Makes seeds. The same request always yields the same ones."""

    def __init__(self, stocks: Stocks, nearness: Callable[[], Nearness], *, lowest_depth: float) -> None:
        self._stocks = stocks
        self._nearness = nearness
        self._lowest_depth = lowest_depth
        self._progress: OrderedDict[tuple[str, str, Recipe], _Progress] = OrderedDict()

    async def seeds(self, request: Request) -> Batch:
        """Returns the seeds from `offset` on, refused ones included.

        Raises:
          PackMismatchError: The pack at hand is not the one asked for.
          StratumMissingError: The pack has no such stratum.
        """
        stock = await self._stocks.stock(request.culture)
        if request.pack_digest and request.pack_digest != stock.digest:
            raise PackMismatchError(
                f"the run is pinned to {request.culture} {request.pack_digest}, the policy service serves {stock.digest}: "
                "serve the pinned pack, or start a new run"
            )
        recipe = Recipe(request.stratum, request.kind, request.split, request.random_seed, self._lowest_depth)
        limit = capacity(stock, recipe)
        made = await self._sequence(stock, recipe).part(request.offset, request.count)
        return Batch(made, limit)

    def _sequence(self, stock: Stock, recipe: Recipe) -> _Progress:
        key = (stock.culture, stock.digest, recipe)
        if key not in self._progress:
            self._progress[key] = _Progress(sequence(stock, recipe, self._nearness()))
            if len(self._progress) > SEQUENCES:
                self._progress.popitem(last=False)
        self._progress.move_to_end(key)
        return self._progress[key]
