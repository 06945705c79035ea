"""What the seed service can do, whichever door the request came through."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from gyeol.seed.domain.realism import LOWEST_PLAUSIBILITY
from gyeol.seed.domain.seed import Made, SeedKind
from gyeol.seed.domain.sequence import Nearness, Recipe, capacity
from gyeol.seed.domain.split import Split
from gyeol.seed.domain.stock import Stock
from gyeol.seed.errors import PackMismatchError
from gyeol.seed.progress import ModelProgress, PackProgress, Panel, Progress

SEQUENCES: Final = 64
"""Sequences kept; the least recently used one is forgotten and made again when it is asked for."""
ACCOUNTS: Final = 1024
"""Requests whose model calls are remembered, should they come again."""


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
    endpoints: str = ""
    """Models file whose roles are used; empty: none."""
    payer: str = ""
    """Run whose budget pays; empty: nothing is reserved."""
    id: str = ""
    """Names the request when it may come again; empty: it does not."""


@dataclass
class Calls:
    """Model calls made for one request."""

    paid: int = 0
    cached: int = 0

    def count(self, *, cached: bool) -> None:
        if cached:
            self.cached += 1
        else:
            self.paid += 1


@dataclass(frozen=True)
class Batch:
    made: tuple[Made, ...]
    """Shorter than asked for when the sequence ends."""
    capacity: int
    """Different questions the stratum can give, near-duplicates included."""
    calls: Calls


class Panels(Protocol):
    """Where the models come from."""

    def panel(self, request: Request, calls: Calls) -> Panel: ...


class Nobody:
    """No model takes part, whatever a request names."""

    def panel(self, request: Request, calls: Calls) -> Panel:  # noqa: ARG002
        return Panel()


class Seeding:
    """Makes seeds. The same request always yields the same ones."""

    def __init__(
        self,
        stocks: Stocks,
        nearness: Callable[[], Nearness],
        panels: Panels | None = None,
        *,
        lowest_depth: float,
        lowest_plausibility: float = LOWEST_PLAUSIBILITY,
    ) -> None:
        self._stocks = stocks
        self._panels = panels or Nobody()
        self._nearness = nearness
        self._lowest_depth = lowest_depth
        self._lowest_plausibility = lowest_plausibility
        self._progress: OrderedDict[tuple[object, ...], Progress] = OrderedDict()
        self._calls: OrderedDict[str, Calls] = OrderedDict()

    async def seeds(self, request: Request) -> Batch:
        """Returns the seeds from `offset` on, refused ones included.

        Raises:
          PackMismatchError: The pack at hand is not the one asked for.
          StratumMissingError: The pack has no such stratum.
          RoleInvalidError: The models file gives a role that there is not, or one twice.
        """
        stock = await self._stocks.stock(request.culture)
        if request.pack_digest and request.pack_digest != stock.digest:
            raise PackMismatchError(
                f"the run is pinned to {request.culture} {request.pack_digest}, the policy service serves {stock.digest}: "
                "serve the pinned pack, or start a new run"
            )
        recipe = Recipe(
            request.stratum,
            request.kind,
            request.split,
            request.random_seed,
            self._lowest_depth,
            self._lowest_plausibility,
        )
        calls = self._account(request.id)
        panel = self._panels.panel(request, calls)
        limit = capacity(stock, recipe)
        made = await self._sequence(stock, recipe, panel).part(request.offset, request.count, panel)
        return Batch(made, limit, calls)

    def _account(self, request: str) -> Calls:
        """The calls of a request; one that comes again after it broke off goes on counting."""
        calls = self._calls.pop(request, None) or Calls()
        if request:
            self._calls[request] = calls
            if len(self._calls) > ACCOUNTS:
                self._calls.popitem(last=False)
        return calls

    def _sequence(self, stock: Stock, recipe: Recipe, panel: Panel) -> Progress:
        asked = recipe.kind is SeedKind.HARMFUL and panel.identity
        key = (stock.culture, stock.digest, recipe, asked)
        if key not in self._progress:
            kind = ModelProgress if asked else PackProgress
            self._progress[key] = kind(stock, recipe, self._nearness)
            if len(self._progress) > SEQUENCES:
                self._progress.popitem(last=False)
        self._progress.move_to_end(key)
        return self._progress[key]
