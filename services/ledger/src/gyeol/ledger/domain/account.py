"""The books of a run: what came in, what came out and what is missing.

The database counts records with equal marks; everything else is worked out here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from gyeol.ledger.domain.budget import Limits, Spending
from gyeol.ledger.domain.record import AFTER, STAGES, Marks, Step, standing

BENIGN = "+benign"
"""Suffix of the strata of benign seeds."""


@dataclass(frozen=True, slots=True)
class Group:
    """Records of one stratum whose marks are equal."""

    stratum: str
    marks: Marks
    count: int


@dataclass(frozen=True, slots=True)
class DropGroup:
    """Drops of one stage and reason, by the marks of their records."""

    stage: str
    reason: str
    marks: Marks
    count: int


@dataclass(frozen=True, slots=True)
class Books:
    """Everything that is stored about a run's records, as of one moment."""

    groups: list[Group]
    drops: list[DropGroup]
    calls: int
    cached_calls: int
    limits: Limits
    spending: Spending
    awaiting_review: int


@dataclass(frozen=True, slots=True)
class Tally:
    """`inputs` = `results` + `drops` + `failures` + `pending`."""

    results: int = 0
    drops: int = 0
    failures: int = 0
    pending: int = 0

    @property
    def inputs(self) -> int:
        return self.results + self.drops + self.failures + self.pending


@dataclass(frozen=True, slots=True)
class Account:
    stages: dict[str, Tally]
    """In order; `review` and `seal` only when they dropped something."""
    strata: dict[str, Tally]
    """By name, sorted; `results` are usable triplets."""
    total: Tally
    benign: int
    """Usable benign triplets."""
    gaps: int
    """Records further on than their stored events explain."""
    drops: dict[str, int] = field(default_factory=dict)
    """By reason; adds up to `total.drops`."""

    @property
    def balanced(self) -> bool:
        """Something came in, everything that came in has ended, and no event is missing."""
        return self.total.inputs > 0 and self.total.pending == 0 and self.gaps == 0


def account(groups: Iterable[Group], drops: Iterable[DropGroup] = ()) -> Account:
    """Adds up a run. Drops that a later event has overtaken do not count."""
    stages: dict[str, Counter[Step]] = {stage: Counter() for stage in (*STAGES, *AFTER)}
    strata: defaultdict[str, Counter[Step]] = defaultdict(Counter)
    reasons: Counter[str] = Counter()
    gaps = 0
    for group in groups:
        where = standing(group.marks)
        for stage, step in zip(stages, where.steps, strict=True):
            stages[stage][step] += group.count
        strata[group.stratum][where.ending] += group.count
        gaps += group.count if where.gap else 0
    for drop in drops:
        if standing(drop.marks).steps[STAGES.index(drop.stage)] is Step.DROP:
            reasons[drop.reason] += drop.count
    reasons["REVIEW"] += stages["review"][Step.DROP]
    reasons["CONTAMINATED"] += stages["seal"][Step.DROP]
    by_stratum = {name: _tally(strata[name]) for name in sorted(strata)}
    return Account(
        stages={name: _tally(steps) for name, steps in stages.items() if name in STAGES or steps[Step.DROP]},
        strata=by_stratum,
        total=_tally(sum(strata.values(), Counter())),
        benign=sum(tally.results for name, tally in by_stratum.items() if name.endswith(BENIGN)),
        gaps=gaps,
        drops={reason: count for reason, count in sorted(reasons.items()) if count},
    )


def _tally(steps: Counter[Step]) -> Tally:
    return Tally(steps[Step.RESULT], steps[Step.DROP], steps[Step.FAILURE], steps[Step.PENDING])
