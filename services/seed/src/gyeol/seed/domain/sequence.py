"""The deterministic sequence of seeds of one stratum.

Types take turns within the stratum, molds within their type and fillings within their mold.
A turn ends with the first seed that is kept, so that every prefix holds as many kept seeds of each type, give or take one,
as long as no type runs out of questions that are new: one that finds none within a few tries loses its turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gyeol.chassis.template import template
from gyeol.seed.domain.filling import Filling, chance, count, fillings
from gyeol.seed.domain.realism import HIGHEST_FIT, Realism, depth, realism, shortfall
from gyeol.seed.domain.seed import Made, Refusal, Seed, SeedKind
from gyeol.seed.domain.split import Split, share
from gyeol.seed.domain.stock import Kind, Mold, Probe, Stock
from gyeol.seed.domain.turn import taking_turns

TRIES = 8
"""Fillings tried in one turn before the next type has its turn."""


class Nearness(Protocol):
    """Remembers texts and tells which one a new text nearly repeats."""

    def nearest(self, text: str) -> float:
        """Returns the similarity, 0 to 1, of the most similar text remembered; 0 when none comes near the limit."""

    def remember(self, text: str) -> None: ...


@dataclass(frozen=True)
class Recipe:
    """What a sequence depends on, and nothing else."""

    stratum: str
    kind: SeedKind
    split: Split
    random_seed: int
    lowest_depth: float


def sequence(stock: Stock, recipe: Recipe, nearness: Nearness) -> Iterator[Made]:
    """Yields every seed of the stratum in order, refused ones included.

    Raises:
      StratumMissingError: The pack has no such stratum.
    """
    kinds = _ordered(stock.within(recipe.stratum))
    for turn in taking_turns(_turns(stock, kind, recipe, nearness) for kind in kinds):
        yield from turn


def capacity(stock: Stock, recipe: Recipe) -> int:
    """Returns how many different questions the stratum can give, near-duplicates included."""
    kinds = stock.within(recipe.stratum)
    if recipe.kind is SeedKind.BENIGN:
        return sum(len(share(kind.probes, recipe.split)) for kind in kinds)
    return sum(count(mold) for kind in kinds for mold in share(kind.molds, recipe.split))


def _ordered(kinds: Iterable[Kind]) -> list[Kind]:
    """Types in an order that spreads over categories: the first of each, then the second of each."""
    by_category: dict[str, list[Kind]] = {}
    for kind in kinds:
        by_category.setdefault(kind.category, []).append(kind)
    rounds = itertools.zip_longest(*by_category.values())
    return [kind for group in rounds for kind in group if kind is not None]


def _turns(stock: Stock, kind: Kind, recipe: Recipe, nearness: Nearness) -> Iterator[Sequence[Made]]:
    """Yields what each turn of one type makes: refused seeds, then a kept one."""
    if recipe.kind is SeedKind.BENIGN:
        probes = share(kind.probes, recipe.split)
        drafts: Iterator[Seed] = (
            _benign(stock, kind, probe, recipe) for probe in _shuffled(probes, recipe.random_seed)
        )
    else:
        drafts = _drafts(stock, kind, recipe)
    made: list[Made] = []
    for draft in drafts:
        made.append(_judged(draft, recipe, nearness))
        if made[-1].refusal is None or len(made) == TRIES:
            yield made
            made = []
    if made:
        yield made


def _drafts(stock: Stock, kind: Kind, recipe: Recipe) -> Iterator[Seed]:
    molds = _shuffled(share(kind.molds, recipe.split), recipe.random_seed)
    return taking_turns([_filled(stock, kind, mold, recipe) for mold in molds])


def _filled(stock: Stock, kind: Kind, mold: Mold, recipe: Recipe) -> Iterator[Seed]:
    for filling in fillings(mold, recipe.random_seed):
        yield _harmful(stock, kind, mold, filling, recipe)


def _shuffled(parts: Sequence[Mold] | Sequence[Probe], random_seed: int) -> Sequence[Any]:
    return sorted(parts, key=lambda part: chance(random_seed, part.id))


def _harmful(stock: Stock, kind: Kind, mold: Mold, filling: Filling, recipe: Recipe) -> Seed:
    text = template(mold.text).render(filling)
    measured = realism(mold, filling, text, stock.markers)
    return _seed(stock, kind, mold.id, filling, text, recipe, measured)


def _benign(stock: Stock, kind: Kind, probe: Probe, recipe: Recipe) -> Seed:
    measured = Realism(HIGHEST_FIT, depth(probe.text, stock.markers))
    return _seed(stock, kind, probe.id, {}, probe.text, recipe, measured)


def _seed(stock: Stock, kind: Kind, mold: str, slots: Filling, text: str, recipe: Recipe, measured: Realism) -> Seed:
    return Seed(
        culture=stock.culture,
        pack_digest=stock.digest,
        domain=kind.domain,
        category=kind.category,
        type=kind.id,
        mold=mold,
        slots=slots,
        text=text,
        kind=recipe.kind,
        split=recipe.split,
        realism=measured,
    )


def _judged(seed: Seed, recipe: Recipe, nearness: Nearness) -> Made:
    """A benign question was written by hand for what it is; only filled molds have to prove that they are realistic."""
    if seed.kind is SeedKind.HARMFUL and (reason := shortfall(seed.realism, recipe.lowest_depth)):
        return Made(seed, Refusal.UNREALISTIC, reason)
    if similarity := nearness.nearest(seed.text):
        return Made(seed, Refusal.DUPLICATE, f"similarity {similarity:.2f} to an earlier seed of the sequence")
    nearness.remember(seed.text)
    return Made(seed)
