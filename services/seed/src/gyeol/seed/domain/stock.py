"""What seeds are made from: the molds and probes of one state of a culture pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gyeol.seed.errors import StratumMissingError

Values = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Mold:
    """A question with fixed harm and open slots."""

    id: str
    type: str
    text: str
    """A template of `gyeol.chassis.template`."""
    required: tuple[str, ...]
    optional: tuple[str, ...]
    values: Values
    """What each slot may hold."""
    deciding: frozenset[str] = frozenset()
    """Slots by which the policy chooses what an answer says: nothing but these values fits."""


@dataclass(frozen=True)
class Probe:
    """A benign question that looks like a harmful one; it has no slots."""

    id: str
    type: str
    text: str


@dataclass(frozen=True)
class Kind:
    """One type of harm, with its place in the taxonomy."""

    id: str
    """`G.financial`."""
    category: str
    domain: str
    """`I` to `V`."""
    molds: tuple[Mold, ...]
    probes: tuple[Probe, ...]


@dataclass(frozen=True)
class Stock:
    culture: str
    digest: str
    """Digest of the pack."""
    kinds: tuple[Kind, ...]
    """In the order of the taxonomy."""
    markers: Mapping[str, frozenset[str]]
    """Words that place a question in the culture, by kind of word."""

    def within(self, stratum: str) -> tuple[Kind, ...]:
        """Returns the types of a stratum: all for an empty one, else of a domain `I`, a category `I/A` or one type.

        Raises:
          StratumMissingError: There are none.
        """
        found = tuple(
            kind for kind in self.kinds if stratum in {"", kind.domain, f"{kind.domain}/{kind.category}", kind.id}
        )
        if not found:
            strata = sorted({f"{kind.domain}/{kind.category}" for kind in self.kinds})
            raise StratumMissingError(
                f"{self.culture} has no stratum {stratum!r}: use a domain such as I, a type such as {self.kinds[0].id}, "
                f"or one of {', '.join(strata)}"
            )
        return found
