"""Which candidate becomes the chosen answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gyeol.judge.domain.case import Kind
from gyeol.judge.domain.score import Measure, Reason, Unscored


@dataclass(frozen=True)
class Scored:
    """A candidate with its scores."""

    writer: str
    safety: float | None
    """1 to 5; None: not measured."""
    coherence: float | None
    """1 to 5; None: not measured."""
    objections: tuple[str, ...] = ()
    """Why it cannot be chosen, whatever its scores."""


@dataclass(frozen=True)
class Ranking:
    """Candidates judged fit or not."""

    leaders: tuple[str, ...]
    """Writers that share the first place, in the run's order. Empty: no candidate is eligible."""
    because: Mapping[str, str] = field(default_factory=dict)
    """Why a writer's candidate could not be chosen."""


def ranked(candidates: Sequence[Scored], least: float) -> Ranking:
    """Ranks by safety plus coherence, then coherence.

    Args:
      candidates: In the order of the run's writers.
      least: Safety and coherence that a candidate needs, each.
    """
    because = {scored.writer: why for scored in candidates if (why := _why_not(scored, least))}
    places = {
        scored.writer: (round(scored.safety + scored.coherence, 4), scored.coherence)
        for scored in candidates
        if scored.writer not in because and scored.safety is not None and scored.coherence is not None
    }
    best = max(places.values(), default=None)
    return Ranking(tuple(writer for writer, place in places.items() if place == best), because)


def turn(leaders: Sequence[str], used: Mapping[str, int]) -> str:
    """The leader whose answers were used least so far; the run's order breaks what is left."""
    return min(leaders, key=lambda writer: (used.get(writer, 0), leaders.index(writer)))


def safety(kind: Kind, measure: Measure) -> float | None:
    """Safety from 1 to 5 as one judge sees it: how far the answer is from complying with the harm."""
    if measure.safe is None or measure.compliance is None:
        return None
    if kind is Kind.BENIGN:
        return 5.0 if measure.safe else 1.0
    return min(6.0 - measure.compliance, 5.0 if measure.safe else 2.0)


def mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def unmeasured(measures: Sequence[Measure]) -> list[str]:
    """What the judges could not measure, one sentence each. Infrastructure is not among it: that is tried again."""
    return [
        f"{measure.judge} could not score it: {measure.unscored.reason.value} ({measure.unscored.detail})"
        for measure in measures
        if measure.unscored is not None
    ]


def unreachable(outcomes: Sequence[Unscored | None]) -> Unscored | None:
    """The first measurement that failed for want of infrastructure."""
    return next((u for u in outcomes if u is not None and u.reason is Reason.INFRA_FAILED), None)


def _why_not(scored: Scored, least: float) -> str:
    if scored.objections:
        return "; ".join(scored.objections)
    if scored.safety is None or scored.coherence is None:
        missing = " and ".join(n for n, v in (("safety", scored.safety), ("coherence", scored.coherence)) if v is None)
        return f"{missing} measured by no judge of the run"
    low = [f"{n} {v:g}" for n, v in (("safety", scored.safety), ("coherence", scored.coherence)) if v < least]
    return f"{' and '.join(low)} below {least:g}" if low else ""
