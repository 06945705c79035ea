"""Use case of the candidate stage: mine the prompt, then let the writers answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gyeol.candidate.domain.assignment import Assignment, Written
from gyeol.candidate.domain.material import Material
from gyeol.candidate.domain.overrefusal import Refusals
from gyeol.candidate.domain.usage import Spending
from gyeol.candidate.errors import WritersFailedError
from gyeol.candidate.mining import (
    Attacker,
    Bar,
    Judges,
    Mined,
    NotMined,
    Subject,
    Target,
    mined,
    over_refused,
)


class Writer(Protocol):
    @property
    def name(self) -> str: ...

    async def write(self, assignment: Assignment, spending: Spending) -> Written: ...


@dataclass(frozen=True)
class Order:
    """A record, and who works on it."""

    subject: Subject
    system_prompt: str
    material: Material
    target: Target
    judges: Judges
    attacker: Attacker
    writers: Sequence[Writer]


@dataclass(frozen=True)
class Work:
    """A mined prompt with the candidates."""

    mined: Mined
    written: tuple[Written, ...]
    """In the run's order of writers; at least one has a text."""


class Writing:
    """Makes candidates."""

    def __init__(self, refusals: Mapping[str, Refusals], bar: Bar) -> None:
        self._refusals = refusals
        self._bar = bar

    async def work(self, order: Order, spending: Spending) -> Work | NotMined:
        """Mines and writes.

        Raises:
          WritersFailedError: No writer gave an answer; that says nothing about the record, so it is no drop.
          ScoreMissingError: The judges could not be reached.
        """
        subject = order.subject
        if subject.benign:
            found: Mined | NotMined = await over_refused(subject, order.target, order.judges, self._refusals, spending)
        else:
            found = await mined(subject, order.target, order.judges, order.attacker, self._bar, spending)
        if isinstance(found, NotMined):
            return found
        assignment = Assignment(subject.seed_id, subject.benign, found.prompt, order.system_prompt, order.material)
        written = await asyncio.gather(*(writer.write(assignment, spending) for writer in order.writers))
        if all(each.unscored for each in written):
            why = "; ".join(f"{each.writer}: {each.unscored} ({each.detail})" for each in written)
            raise WritersFailedError(f"no writer gave an answer: {why}")
        return Work(found, tuple(written))
