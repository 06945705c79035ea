"""Molds (fixed harm, open slots) and probes (benign look-alikes)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gyeol.policy.domain.statute import ArticleRef

Slots = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Mold:
    id: str
    type: str
    register: str
    text: str
    """A template of `gyeol.chassis.template`."""
    required: tuple[str, ...]
    optional: tuple[str, ...]
    slots: Slots = field(default_factory=dict)
    """Values that override the category's for this mold."""


@dataclass(frozen=True)
class MoldSet:
    """The molds of one category with the slot values they share."""

    molds: tuple[Mold, ...]
    slots: Slots

    def values(self, mold: Mold, slot: str) -> tuple[str, ...]:
        """Returns the values a mold may take in a slot; empty when nobody gives any."""
        return mold.slots.get(slot) or self.slots.get(slot, ())


@dataclass(frozen=True)
class Probe:
    id: str
    type: str
    text: str
    register: str
    looks_like: str
    reply: tuple[str, ...]
    """Complete answers."""
    statutes: tuple[ArticleRef, ...] = ()
    institutions: tuple[str, ...] = ()
