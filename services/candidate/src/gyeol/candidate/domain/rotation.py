"""Which dress a question wears at which attempt."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gyeol.candidate.domain.choice import number, pick

PLAIN: Final = "plain"
"""Strategy of the question as it is."""
BENIGN: Final = "benign"
"""Strategy of a question that needs no mining."""
SLOT: Final = "{seed}"


class Plain(enum.Enum):
    """When the question is asked as it is."""

    ROTATED = "rotated"
    """As one strategy among the others."""
    FIRST = "first"
    """Before any other."""
    NEVER = "never"


@dataclass(frozen=True)
class Attempt:
    """One try at the target model."""

    number: int
    """From 1."""
    strategy: str
    prompt: str


def attempts(seed_id: str, text: str, wrappers: Mapping[str, Sequence[str]], most: int, plain: Plain) -> list[Attempt]:
    """The tries for one seed: strategies follow each other from a start that the seed's id decides.

    Args:
      seed_id: Decides the start and the wrapper of each strategy.
      text: The question.
      wrappers: Wrappers per strategy, each with `{seed}`.
      most: Tries at most.
      plain: When the question is asked as it is.
    """
    strategies = [*([PLAIN] if plain is Plain.ROTATED else []), *(name for name, held in wrappers.items() if held)]
    start = number(seed_id) % len(strategies) if strategies else 0
    order = [strategies[(start + turn) % len(strategies)] for turn in range(len(strategies))]
    if plain is Plain.FIRST or not order:
        order = [PLAIN, *order]
    return [
        Attempt(
            turn + 1, strategy, text if strategy == PLAIN else _dressed(wrappers[strategy], seed_id, strategy, text)
        )
        for turn, strategy in enumerate(order[:most])
    ]


def _dressed(held: Sequence[str], seed_id: str, strategy: str, text: str) -> str:
    return pick(held, seed_id, strategy).replace(SLOT, text)
