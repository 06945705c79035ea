"""Where a record stands, worked out from marks that any order and any repetition of events adds up to.

Events arrive late, twice and out of order. So nothing is stored but one bit per stage and kind of event, joined by `|`,
which is commutative and idempotent; the standing is a function of the bits.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

STAGES = ("seed", "policy", "candidate", "judge")
"""The stages of a record, in order. `judge` is the last: its result is a stored triplet."""

AFTER = ("review", "seal")
"""Where an accepted triplet can still be dropped: by a person, or because an evaluation set holds it."""

_JUDGE = len(STAGES) - 1


def stage_bit(stage: str) -> int:
    """The mark of a stage's event.

    Raises:
      KeyError: The stage is none of `STAGES`.
    """
    return _BITS[stage]


_BITS = {stage: 1 << index for index, stage in enumerate(STAGES)}

TRIPLET = 1 << len(STAGES)
"""In `completed`: the triplet is stored."""

REVIEW = 1 << len(STAGES)
"""In `dropped`: a person rejected the triplet."""

SEAL = 1 << (len(STAGES) + 1)
"""In `dropped`: the question overlaps with an evaluation item."""

ELSEWHERE = 1 << len(STAGES)
"""In `failed`: an event of the record could not be handled outside its stages, for example by the ledger itself."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What the stored events say about one record."""

    completed: int = 0
    dropped: int = 0
    failed: int = 0

    def __or__(self, other: Marks) -> Marks:
        return Marks(self.completed | other.completed, self.dropped | other.dropped, self.failed | other.failed)


class Step(enum.Enum):
    """What became of a record at one stage."""

    ABSENT = "absent"
    PENDING = "pending"
    RESULT = "result"
    DROP = "drop"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Standing:
    steps: tuple[Step, ...]
    """One per stage of `STAGES`, then one per stage of `AFTER`."""
    ending: Step
    """RESULT (a usable triplet), DROP, FAILURE, or PENDING while the record is on its way."""
    gap: bool
    """An earlier stage's event is missing: it is still on its way, or lost."""


def standing(marks: Marks) -> Standing:
    """Where a record with these marks stands; its furthest event decides."""
    furthest = _furthest(marks)
    if furthest is None:
        step = Step.FAILURE if marks.failed else Step.ABSENT
        return Standing(
            (step, *[Step.ABSENT] * (_JUDGE + len(AFTER))), Step.FAILURE if marks.failed else Step.PENDING, False
        )
    steps = [Step.ABSENT] * len(STAGES)
    steps[:furthest] = [Step.RESULT] * furthest
    steps[furthest] = _step(marks, furthest)
    at = furthest
    if steps[at] is Step.RESULT and at < _JUDGE:
        at += 1
        steps[at] = Step.PENDING
    if steps[at] is Step.PENDING and marks.failed & ELSEWHERE:
        steps[at] = Step.FAILURE
    after = _after(marks) if steps[_JUDGE] is Step.RESULT else [Step.ABSENT] * len(AFTER)
    ending = next((step for step in after if step is Step.DROP), steps[at])
    gap = any(not marks.completed & 1 << index for index in range(furthest))
    return Standing((*steps, *after), ending, gap)


def _furthest(marks: Marks) -> int | None:
    known = (marks.completed | marks.dropped | marks.failed) & (TRIPLET - 1)
    if marks.completed & TRIPLET:
        known |= 1 << _JUDGE
    return known.bit_length() - 1 if known else None


def _step(marks: Marks, index: int) -> Step:
    bit = 1 << index
    if index == _JUDGE and marks.completed & TRIPLET:
        return Step.RESULT
    if marks.dropped & bit:
        return Step.DROP
    if marks.completed & bit:
        # The panel has decided; the triplet or the drop itself is still on its way.
        return Step.PENDING if index == _JUDGE else Step.RESULT
    return Step.FAILURE


def _after(marks: Marks) -> list[Step]:
    if marks.dropped & REVIEW:
        return [Step.DROP, Step.ABSENT]
    return [Step.RESULT, Step.DROP if marks.dropped & SEAL else Step.RESULT]
