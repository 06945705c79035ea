"""Which molds and probes are held out from training.

Seeds are split by mold, never by row: two fillings of one mold ask nearly the same, and a model that was trained on one
has seen the other.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence
from typing import Protocol, TypeVar


class Split(enum.Enum):
    TRAIN = "train"
    HELD_OUT = "held-out"


class Identified(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=Identified)

HELD_OUT_SHARE = 3
"""One of three."""


def share(parts: Sequence[T], split: Split) -> tuple[T, ...]:
    """Returns the parts of one type that belong to a split; a third, at least one, is held out."""
    ordered = sorted(parts, key=lambda part: hashlib.sha256(part.id.encode()).digest())
    held_out = max(1, len(ordered) // HELD_OUT_SHARE)
    return tuple(ordered[:held_out] if split is Split.HELD_OUT else ordered[held_out:])
