"""The deterministic sequence of seeds of one stratum.

Types take turns within the stratum, molds within their type and fillings within their mold.
A turn ends with the first seed that is kept, so that every prefix holds as many kept seeds of each type, give or take one,
as long as no type runs out of questions that are new: one that finds none within a few tries loses its turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from gyeol.chassis.template import template
from gyeol.seed.domain.draft import Desk, Draft
from gyeol.seed.domain.filling import chance, count
from gyeol.seed.domain.realism import HIGHEST_FIT, Realism, depth, implausible, realism, shortfall
from gyeol.seed.domain.score import BY_HAND, Reason, Unscored
from gyeol.seed.domain.seed import Made, Refusal, Seed, SeedKind
from gyeol.seed.domain.split import Split, share
from gyeol.seed.domain.stock import Kind, Mold, Probe, Stock
from gyeol.seed.domain.turn import taking_turns

TRIES = 8
"""Fillings tried in one turn before the next type has its turn."""
PROBES: Final = "probes"
"""Filler of benign seeds, which have no slots."""


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
    lowest_plausibility: float


def sequence(stock: Stock, recipe: Recipe, nearness: Nearness, desk: Desk) -> Iterator[Made]:
    """Yields every seed of the stratum in order, refused ones included.

    Raises:
      StratumMissingError: The pack has no such stratum.
    """
    kinds = _ordered(stock.within(recipe.stratum))
    for turn in taking_turns(_turns(stock, kind, recipe, nearness, desk) for kind in kinds):
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


def _turns(stock: Stock, kind: Kind, recipe: Recipe, nearness: Nearness, desk: Desk) -> Iterator[Sequence[Made]]:
    """Yields what each turn of one type makes: refused seeds, then a kept one."""
    seeds = _benign(stock, kind, recipe, nearness)
    if recipe.kind is SeedKind.HARMFUL:
        seeds = _harmful(stock, kind, recipe, nearness, desk)
    made: list[Made] = []
    for one in seeds:
        made.append(one)
        if one.refusal is None or len(made) == TRIES:
            yield made
            made = []
    if made:
        yield made


def _benign(stock: Stock, kind: Kind, recipe: Recipe, nearness: Nearness) -> Iterator[Made]:
    """A benign question was written by hand for what it is; it only has to be new."""
    for probe in _shuffled(share(kind.probes, recipe.split), recipe.random_seed):
        measured = Realism(HIGHEST_FIT, depth(probe.text, stock.markers), BY_HAND)
        seed = _seed(stock, kind, recipe, probe.id, Draft({}, PROBES), probe.text, measured)
        yield _repeated(seed, nearness) or _kept(seed, nearness)


def _harmful(stock: Stock, kind: Kind, recipe: Recipe, nearness: Nearness, desk: Desk) -> Iterator[Made]:
    molds: Sequence[Mold] = _shuffled(share(kind.molds, recipe.split), recipe.random_seed)
    for mold, draft in taking_turns([_filled(mold, desk) for mold in molds]):
        text = _text(mold, draft)
        measured = realism(mold, draft.filling, text, stock.markers)
        seed = _seed(stock, kind, recipe, mold.id, draft, text, measured)
        yield _proven(seed, draft, recipe, nearness, desk)


def _filled(mold: Mold, desk: Desk) -> Iterator[tuple[Mold, Draft]]:
    for draft in desk.drafts(mold):
        yield mold, draft


def _text(mold: Mold, draft: Draft) -> str:
    """The question; empty when a refused filling leaves none."""
    parsed = template(mold.text)
    if draft.fault and not parsed.required <= draft.filling.keys():
        return ""
    return parsed.render(draft.filling)


def _proven(seed: Seed, draft: Draft, recipe: Recipe, nearness: Nearness, desk: Desk) -> Made:
    """A filled mold has to show that it is in order, realistic and new, and only then that anybody would ask it."""
    if draft.fault:
        return _refused(seed, draft, Refusal.FILLING, draft.fault)
    if reason := shortfall(seed.realism, recipe.lowest_depth):
        return _refused(seed, draft, Refusal.UNREALISTIC, reason)
    if repeated := _repeated(seed, nearness):
        return _refused(seed, draft, Refusal.DUPLICATE, repeated.detail)
    score = desk.plausibility(seed, draft)
    seed = replace(seed, realism=replace(seed.realism, plausibility=score))
    if isinstance(score, Unscored):
        if score.reason is not Reason.NOT_ASKED:
            return _refused(seed, draft, Refusal.UNJUDGED, f"plausibility: {score.detail}")
    elif reason := implausible(score, recipe.lowest_plausibility):
        return _refused(seed, draft, Refusal.UNREALISTIC, reason)
    return _kept(seed, nearness)


def _refused(seed: Seed, draft: Draft, refusal: Refusal, detail: str) -> Made:
    return Made(replace(seed, place=draft.place), refusal, detail)


def _repeated(seed: Seed, nearness: Nearness) -> Made | None:
    if similarity := nearness.nearest(seed.text):
        detail = f"similarity {similarity:.2f} to an earlier seed of the sequence"
        return Made(seed, Refusal.DUPLICATE, detail)
    return None


def _kept(seed: Seed, nearness: Nearness) -> Made:
    nearness.remember(seed.text)
    return Made(seed)


def _shuffled(parts: Sequence[Mold] | Sequence[Probe], random_seed: int) -> Sequence[Any]:
    return sorted(parts, key=lambda part: chance(random_seed, part.id))


def _seed(stock: Stock, kind: Kind, recipe: Recipe, mold: str, draft: Draft, text: str, measured: Realism) -> Seed:
    return Seed(
        culture=stock.culture,
        pack_digest=stock.digest,
        domain=kind.domain,
        category=kind.category,
        type=kind.id,
        mold=mold,
        slots=draft.filling,
        text=text,
        kind=recipe.kind,
        split=recipe.split,
        realism=measured,
        filler=draft.filler,
    )
