"""How many more seeds a stratum needs."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

GROWTH = 4
"""Most seeds asked for at once for each missing triplet, unless as many were asked for before: a bad first wave must not use the ceiling up."""


def wave(*, target: int, accepted: int, requested: int, ceiling: int, capacity: int) -> int:
    """Seeds to ask for next; 0 when the target is reached or nothing more can be had.

    The first wave asks for what is missing, as if every seed became a triplet, so that it cannot overshoot.
    Later ones divide what is missing by the acceptance rate so far, a fresh seed counted in favour.

    Args:
      target: Accepted triplets wanted.
      accepted: Accepted triplets.
      requested: Seeds asked for so far, all of them settled.
      ceiling: Seeds that may be used at most.
      capacity: Distinct seeds the stratum can give.
    """
    missing = target - accepted
    left = min(ceiling, capacity) - requested
    if missing <= 0 or left <= 0:
        return 0
    rate = Fraction(accepted + 1, requested + 1)
    return min(ceil(missing / rate), max(GROWTH * missing, requested), left)
