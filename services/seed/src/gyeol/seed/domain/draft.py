"""Drafts of seeds: fillings of a mold, from the pack or from a model, fit to be asked or not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from gyeol.seed.domain.filling import Filling, count, fillings
from gyeol.seed.domain.score import NO_JUDGE, Unscored
from gyeol.seed.domain.seed import Seed
from gyeol.seed.domain.stock import Mold

MOLDS: Final = "molds"
"""Filler of seeds whose slots hold values of the pack."""
BATCH: Final = 8
"""Fillings that a model is asked for at once."""
DRY: Final = 2
"""Batches in a row without a usable filling, after which a model has nothing more to say about a mold."""


@dataclass(frozen=True)
class Draft:
    filling: Filling
    filler: str = MOLDS
    """Who filled the slots: `molds`, or a model's name."""
    fault: str = ""
    """Why the filling may not be used; empty: it may."""
    place: str = ""
    """Place among a model's fillings of the mold: a model may say the same twice, and each time counts."""
    stands_in: bool = False
    """True while the model was not asked for it yet; the sequence goes on and is made again afterwards."""


class Desk(Protocol):
    """Who fills molds and who judges whether anybody would ask the result."""

    def drafts(self, mold: Mold) -> Iterator[Draft]: ...

    def plausibility(self, seed: Seed, draft: Draft) -> float | Unscored:
        """C1 of a seed that is otherwise good."""
        ...


@dataclass(frozen=True)
class PackDesk:
    """Fills molds with the pack's own values; nobody judges."""

    random_seed: int

    def drafts(self, mold: Mold) -> Iterator[Draft]:
        return (Draft(filling) for filling in fillings(mold, self.random_seed))

    def plausibility(self, seed: Seed, draft: Draft) -> float | Unscored:  # noqa: ARG002
        return NO_JUDGE


@dataclass
class Replies:
    """What models said for one sequence so far."""

    batches: dict[tuple[str, int], tuple[Draft, ...]] = field(default_factory=dict)
    """By mold and number of the batch."""
    plausibilities: dict[str, float | Unscored] = field(default_factory=dict)
    """By seed."""


@dataclass
class ModelDesk:
    """Reads what models said, and notes what they would have to be asked.

    A sequence is made with whatever is known: in place of what is not, the pack's values stand in and every seed is plausible.
    Then the models are asked, all at once, and it is made again, until nothing was missing.
    So the sequence depends on the replies alone and never on when they came.
    """

    random_seed: int
    replies: Replies
    fills: bool
    """Whether a model fills; otherwise the pack does."""
    judges: bool
    """Whether a model judges plausibility."""
    highest: float
    """Plausibility that is assumed meanwhile."""
    molds: dict[tuple[str, int], Mold] = field(default_factory=dict, init=False)
    """Batches to ask for, by mold and number."""
    seeds: dict[str, Seed] = field(default_factory=dict, init=False)
    """Seeds to ask about, by id."""

    def drafts(self, mold: Mold) -> Iterator[Draft]:
        if not self.fills:
            return PackDesk(self.random_seed).drafts(mold)
        return itertools.islice(self._filled(mold), count(mold))

    def plausibility(self, seed: Seed, draft: Draft) -> float | Unscored:
        if not self.judges:
            return NO_JUDGE
        if seed.id not in self.replies.plausibilities:
            if not draft.stands_in:
                self.seeds[seed.id] = seed
            return self.highest
        return self.replies.plausibilities[seed.id]

    def _filled(self, mold: Mold) -> Iterator[Draft]:
        own = fillings(mold, self.random_seed)
        dry = unknown = 0
        for number in itertools.count():
            known = self.replies.batches.get((mold.id, number))
            if known is None:
                if unknown == DRY:  # the first replies tell whether it is worth asking for more
                    return
                unknown += 1
                self.molds[mold.id, number] = mold
                known = tuple(Draft(filling, stands_in=True) for filling in itertools.islice(own, BATCH))
            yield from known
            dry = 0 if any(not draft.fault for draft in known) else dry + 1
            if dry == DRY or not known:
                return
