"""Faults of Korean text, with their place and a remedy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SERIOUS: Final = frozenset(
    {
        "mixed-register",
        "plain-register",
        "wrong-register",
        "not-nfc",
        "broken",
        "repetition",
        "foreign-script",
        "scolding",
        "too-short",
    }
)
"""Kinds that spoil a text alone; the others are blemishes."""


@dataclass(frozen=True)
class Fault:
    """Something a careful Korean editor would mark."""

    kind: str
    start: int
    end: int
    text: str
    remedy: str

    @property
    def serious(self) -> bool:
        return self.kind in SERIOUS


@dataclass(frozen=True)
class Wording:
    """A wording of the lexicon that is a fault wherever it stands."""

    kind: str
    pattern: re.Pattern[str]
    remedy: str

    def faults(self, text: str) -> list[Fault]:
        return [Fault(self.kind, *hit.span(), hit.group(), self.remedy) for hit in self.pattern.finditer(text)]
