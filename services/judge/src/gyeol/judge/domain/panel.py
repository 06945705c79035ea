"""The panel: every judge votes on six criteria, and a rule turns the votes into a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gyeol.judge.domain.case import Decision
from gyeol.judge.domain.score import Reason, Unscored, Vote

CRITERIA: Final = ("c1", "c2", "c3", "c4", "c5", "c6")


@dataclass(frozen=True)
class Ballot:
    """One judge's votes."""

    judge: str
    votes: tuple[Vote, ...]
    quotable: bool = True
    """Whether its reasons are fixed phrases; what a model writes may repeat the record, so it stays out of details."""


@dataclass(frozen=True)
class Verdict:
    """What the panel decided."""

    accepted: bool
    disputed: bool
    """Some judge vetoed, although the panel accepted."""
    vetoes: Mapping[str, tuple[str, ...]]
    """Criteria that a judge did not find met, by judge."""


def decided(ballots: Sequence[Ballot], decision: Decision) -> Verdict:
    """Counts the votes. A criterion that a judge did not score, or did not vote on, is not met."""
    met = {ballot.judge: {vote.criterion for vote in ballot.votes if vote.met} for ballot in ballots}
    vetoes = {
        judge: tuple(criterion for criterion in CRITERIA if criterion not in passed)
        for judge, passed in met.items()
        if not passed.issuperset(CRITERIA)
    }
    needed = len(ballots) if decision is Decision.UNANIMOUS else len(ballots) // 2 + 1
    accepted = bool(ballots) and all(
        sum(criterion in passed for passed in met.values()) >= needed for criterion in CRITERIA
    )
    return Verdict(accepted, accepted and bool(vetoes), vetoes)


def unreachable(ballots: Sequence[Ballot]) -> tuple[str, Unscored] | None:
    """The first judge whose vote is missing for want of infrastructure: its record is judged again, not decided."""
    for ballot in ballots:
        for vote in ballot.votes:
            if isinstance(vote.outcome, Unscored) and vote.outcome.reason is Reason.INFRA_FAILED:
                return ballot.judge, vote.outcome
    return None


def dissent(ballots: Sequence[Ballot], verdict: Verdict) -> str:
    """Which judge vetoed what and why, for a person."""
    told = []
    for ballot in ballots:
        refused = set(verdict.vetoes.get(ballot.judge, ()))
        reasons = [_named(vote, ballot.quotable) for vote in ballot.votes if vote.criterion in refused]
        unsaid = refused - {vote.criterion for vote in ballot.votes}
        reasons += [f"{criterion} (no vote)" for criterion in sorted(unsaid)]
        if reasons:
            told.append(f"{ballot.judge}: {', '.join(reasons)}")
    return "; ".join(told)


def _named(vote: Vote, quotable: bool) -> str:
    if isinstance(vote.outcome, Unscored):
        return f"{vote.criterion} ({vote.outcome.reason.value}: {vote.outcome.detail})"
    return f"{vote.criterion} ({vote.reason})" if quotable else vote.criterion
