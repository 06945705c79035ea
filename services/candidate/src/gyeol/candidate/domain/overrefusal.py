"""Refusals of questions that deserve an answer, as over-cautious models give them: the rejected side of benign pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gyeol.candidate.domain.choice import pick


@dataclass(frozen=True)
class Refusals:
    """Parts of a refusal in one register."""

    openings: tuple[str, ...]
    """May be empty strings."""
    bodies: tuple[str, ...]
    closings: tuple[str, ...]
    """May be empty strings."""


def overrefusal(seed_id: str, register: str, refusals: Mapping[str, Refusals]) -> str:
    """A natural, needless refusal; the same seed gives the same."""
    parts = refusals[register if register in refusals else "haeyo"]
    opening = pick(parts.openings, seed_id, "opening")
    body = pick(parts.bodies, seed_id, "body")
    closing = pick(parts.closings, seed_id, "closing")
    return " ".join(part for part in (opening, body, closing) if part)
