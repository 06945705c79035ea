"""A sequence of seeds, as far as anybody has asked for it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gyeol.seed.domain.draft import Draft, ModelDesk, PackDesk, Replies
from gyeol.seed.domain.realism import HIGHEST_PLAUSIBILITY
from gyeol.seed.domain.score import Unscored
from gyeol.seed.domain.seed import Made, Seed
from gyeol.seed.domain.sequence import Nearness, Recipe, sequence
from gyeol.seed.domain.stock import Mold, Stock

K = TypeVar("K")
V = TypeVar("V")


class Filler(Protocol):
    async def fill(
        self, mold: Mold, number: int, markers: Mapping[str, frozenset[str]], random_seed: int
    ) -> tuple[Draft, ...]:
        """Returns one batch of drafts, faulty ones included."""
        ...


class Judge(Protocol):
    async def plausibility(self, seed: Seed) -> float | Unscored: ...


@dataclass(frozen=True)
class Panel:
    """The models that take part in one request."""

    filler: Filler | None = None
    """None: slots hold the pack's values."""
    judge: Judge | None = None
    """None: plausibility stays unscored."""
    identity: tuple[object, ...] = ()
    """What the sequence depends on: other models make another one."""


class Progress(Protocol):
    async def part(self, offset: int, count: int, panel: Panel) -> tuple[Made, ...]: ...


class PackProgress:
    """A sequence that needs nobody: it goes on where it stopped."""

    def __init__(self, stock: Stock, recipe: Recipe, nearness: Callable[[], Nearness]) -> None:
        self._seeds = sequence(stock, recipe, nearness(), PackDesk(recipe.random_seed))
        self._made: list[Made] = []
        self._lock = asyncio.Lock()

    async def part(self, offset: int, count: int, panel: Panel) -> tuple[Made, ...]:  # noqa: ARG002
        async with self._lock:
            if offset + count > len(self._made):
                await asyncio.to_thread(self._reach, offset + count)
        return tuple(self._made[offset : offset + count])

    def _reach(self, length: int) -> None:
        for made in self._seeds:
            self._made.append(made)
            if len(self._made) >= length:
                return


class ModelProgress:
    """A sequence that models take part in.

    It is made from the beginning as often as there is something to ask, which is soon no more: what models said is kept.
    When a model cannot be reached the request fails and nothing is lost.
    """

    def __init__(self, stock: Stock, recipe: Recipe, nearness: Callable[[], Nearness]) -> None:
        self._stock = stock
        self._recipe = recipe
        self._nearness = nearness
        self._replies = Replies()
        self._made: list[Made] = []
        self._ended = False
        self._lock = asyncio.Lock()

    async def part(self, offset: int, count: int, panel: Panel) -> tuple[Made, ...]:
        async with self._lock:
            while len(self._made) < offset + count and not self._ended:
                await self._go_on(offset + count, panel)
        return tuple(self._made[offset : offset + count])

    async def _go_on(self, length: int, panel: Panel) -> None:
        desk = ModelDesk(
            self._recipe.random_seed,
            self._replies,
            fills=panel.filler is not None,
            judges=panel.judge is not None,
            highest=HIGHEST_PLAUSIBILITY,
        )
        seeds = sequence(self._stock, self._recipe, self._nearness(), desk)
        made = await asyncio.to_thread(lambda: list(itertools.islice(seeds, length)))
        if not desk.molds and not desk.seeds:
            self._made = made
            self._ended = len(made) < length
            return
        markers, random_seed = self._stock.markers, self._recipe.random_seed
        filler, judge = panel.filler, panel.judge
        asked: list[Awaitable[None]] = []
        if filler is not None:
            asked += [
                _noted(self._replies.batches, (name, number), filler.fill(mold, number, markers, random_seed))
                for (name, number), mold in desk.molds.items()
            ]
        if judge is not None:
            asked += [
                _noted(self._replies.plausibilities, seed.id, judge.plausibility(seed)) for seed in desk.seeds.values()
            ]
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome


async def _noted(known: dict[K, V], key: K, reply: Awaitable[V]) -> None:
    known[key] = await reply
