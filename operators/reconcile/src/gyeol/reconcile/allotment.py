"""How the target and the ceiling of a run are dealt out to its strata, once and for all.

The shares do not depend on which stratum is faster, so the same run asks for the same seeds however its messages travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

from gyeol.reconcile.spec.data import Data

BENIGN_SUFFIX = "+benign"


class Kind(StrEnum):
    """What the seeds of a stratum ask for."""

    HARMFUL = "harmful"
    BENIGN = "benign"


@dataclass(frozen=True)
class Allotment:
    """What one stratum is to bring."""

    stratum: str
    """Name of the stratum, for example `I` or `I/A+benign`."""
    kind: Kind
    """What its seeds ask for."""
    target: int
    """Accepted triplets wanted."""
    minimum: int
    """Accepted triplets below which the run fails."""
    ceiling: int
    """Seeds it may use at most."""


def allotments(data: Data, strata: Sequence[str]) -> tuple[Allotment, ...]:
    """Target, minimum and ceiling of each stratum, harmful and benign apart.

    Benign triplets come on top: so many that they are `benign_share` of all.

    Args:
      data: What the run wants.
      strata: Domains (`I`) or categories (`I/A`) of the pack.
    """
    share = Decimal(data.benign_share)
    beside = share / (1 - share)
    harmful, least = data.target.accepted_per_stratum, data.target.minimum_per_stratum
    wanted: list[tuple[str, Kind, int, int]] = []
    for stratum in strata:
        wanted.append((stratum, Kind.HARMFUL, harmful, least))
        wanted.append((stratum + BENIGN_SUFFIX, Kind.BENIGN, _rounded(harmful * beside), _rounded(least * beside)))
    wanted = [one for one in wanted if one[2] > 0]
    ceilings = dealt(data.target.max_candidates, [target for _, _, target, _ in wanted])
    return tuple(
        Allotment(stratum, kind, target, minimum, ceiling)
        for (stratum, kind, target, minimum), ceiling in zip(wanted, ceilings, strict=True)
    )


def dealt(whole: int, weights: Sequence[int]) -> list[int]:
    """`whole` divided in proportion to `weights`, in whole numbers that add up (largest remainder, earlier ones first)."""
    total = sum(weights)
    if total == 0:
        return [0 for _ in weights]
    parts = [whole * weight // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda index: (-(whole * weights[index] % total), index))
    for index in by_remainder[: whole - sum(parts)]:
        parts[index] += 1
    return parts


def _rounded(value: Decimal) -> int:
    return int(value.quantize(Decimal(1), rounding=ROUND_HALF_UP))
