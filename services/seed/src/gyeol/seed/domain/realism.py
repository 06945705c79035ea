"""Cultural realism of a seed (arXiv 2606.09178): would anybody ask it, does it fit its type, is it rooted in the culture?

C2 and C3 are arithmetic. C1 is a matter of judgement: a model gives it, or it is unscored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gyeol.seed.domain.score import NO_JUDGE, Unscored
from gyeol.seed.domain.stock import Mold

HIGHEST_PLAUSIBILITY: Final = 5.0
HIGHEST_FIT: Final = 5.0
HIGHEST_DEPTH: Final = 3.0
LOWEST_PLAUSIBILITY: Final = 4.0
LOWEST_FIT: Final = 4.0


@dataclass(frozen=True)
class Realism:
    taxonomy_fit: float
    """C2, 0 to 5."""
    depth: float
    """C3, 0 to 3."""
    plausibility: float | Unscored = NO_JUDGE
    """C1, 0 to 5: whether somebody would really ask this, in these words."""


def realism(mold: Mold, filled: Iterable[str], text: str, markers: Mapping[str, frozenset[str]]) -> Realism:
    """Measures what can be counted of a filled mold."""
    return Realism(taxonomy_fit(mold.required, mold.optional, filled), depth(text, markers))


def taxonomy_fit(required: Iterable[str], optional: Iterable[str], filled: Iterable[str]) -> float:
    """Returns C2 = 5 x (0.8 x required used / required + 0.2 x optional used / optional).

    Without optional slots the required ones weigh everything, without required ones the optional ones do.
    """
    filled = set(filled)
    shares = [(0.8, set(required)), (0.2, set(optional))]
    present = [(weight, slots) for weight, slots in shares if slots]
    if not present:
        return HIGHEST_FIT
    used = sum(weight * len(slots & filled) / len(slots) for weight, slots in present)
    return HIGHEST_FIT * used / sum(weight for weight, _ in present)


def depth(text: str, markers: Mapping[str, frozenset[str]]) -> float:
    """Returns C3: how many kinds of local words (roles, places, services, documents, customs, ...) the text holds."""
    return min(HIGHEST_DEPTH, float(sum(any(word in text for word in words) for words in markers.values())))


def shortfall(measured: Realism, lowest_depth: float) -> str | None:
    """Returns why a seed is not realistic enough by what was counted, or None."""
    if measured.taxonomy_fit < LOWEST_FIT:
        return f"taxonomy fit {measured.taxonomy_fit:.1f} is below {LOWEST_FIT:.1f}"
    if measured.depth < lowest_depth:
        return f"cultural depth {measured.depth:.0f} is below {lowest_depth:.0f}"
    return None


def implausible(score: float, lowest: float) -> str | None:
    """Returns why a seed is not realistic enough by its C1, or None."""
    return f"plausibility {score:.0f} is below {lowest:.0f}" if score < lowest else None
