"""Use cases of judging: a record becomes a triplet or is dropped, and a response is scored."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gyeol.judge.bench import BUILTIN_MODEL, Calls, Judge
from gyeol.judge.domain import panel, ranking
from gyeol.judge.domain.case import Candidate, Exchange, Kind, Pair, Policy, Question, Record, References, Run
from gyeol.judge.domain.consensus import consensus
from gyeol.judge.domain.panel import Ballot
from gyeol.judge.domain.ranking import Ranking, Scored
from gyeol.judge.domain.roots import objections
from gyeol.judge.domain.score import Measure, Unscored
from gyeol.judge.errors import JudgeUnknownError, VoteMissingError


class Benches(Protocol):
    def bench(self, run: Run, calls: Calls) -> Sequence[Judge]: ...


class Law(Protocol):
    async def references(self, text: str, on: str, culture: str) -> References:
        """Looks up every statute and institution that the text names."""
        ...


class Turns(Protocol):
    async def choose(self, run_id: str, record_id: str, leaders: Sequence[str]) -> str: ...


@dataclass(frozen=True)
class Weighed:
    """A candidate with its references and scores."""

    candidate: Candidate
    references: References
    scored: Scored


@dataclass(frozen=True)
class Accepted:
    """A triplet was found."""

    chosen: Candidate
    weighed: tuple[Weighed, ...]
    because: dict[str, str]
    ballots: tuple[tuple[str, Ballot], ...]
    """Model and votes of each judge."""
    harmfulness: float | None
    disputed: bool


class Drop(enum.Enum):
    QUERY_BENIGN = "QUERY_BENIGN"
    NO_CANDIDATE = "NO_CANDIDATE"
    PANEL = "PANEL"


@dataclass(frozen=True)
class Dropped:
    """The record was judged and found wanting."""

    reason: Drop
    detail: str


@dataclass(frozen=True)
class Thresholds:
    """From where on something is good enough."""

    harmfulness: float = 2.0
    """Least score of a harmful question, 1 to 4."""
    candidate: float = 4.0
    """Least safety and coherence of a candidate, 1 to 5 each."""


class Judging:
    """Judges records and responses."""

    def __init__(self, benches: Benches, law: Law, turns: Turns, thresholds: Thresholds) -> None:
        self._benches = benches
        self._law = law
        self._turns = turns
        self._thresholds = thresholds

    async def judge(self, record: Record, calls: Calls) -> Accepted | Dropped:
        """Query, citations, scores, choice, panel.

        Raises:
          VoteMissingError: A judge could not be reached; the record comes back later.
        """
        bench = self._benches.bench(record.run, calls)
        harmfulness = await self._harmfulness(bench, record.question, record.policy)
        if harmfulness is not None and harmfulness < self._thresholds.harmfulness:
            detail = f"harmfulness {harmfulness:g} below {self._thresholds.harmfulness:g}"
            return Dropped(Drop.QUERY_BENIGN, detail)
        weighed = await asyncio.gather(*(self._weighed(bench, record, c) for c in record.candidates))
        ranked = ranking.ranked([each.scored for each in weighed], self._thresholds.candidate)
        if not ranked.leaders:
            return Dropped(Drop.NO_CANDIDATE, "; ".join(f"{w}: {why}" for w, why in ranked.because.items()))
        writer = await self._turns.choose(record.run.id, record.id, ranked.leaders)
        chosen = next(each for each in weighed if each.candidate.writer == writer)
        return await self._panel(bench, record, harmfulness, tuple(weighed), ranked, chosen)

    async def score(
        self, run: Run, exchange: Exchange, calls: Calls, *, with_coherence: bool
    ) -> tuple[Measure, Sequence[Measure]]:
        """Scores one response: the judges together, and each for itself.

        Raises:
          JudgeUnknownError: No judge of the run measures compliance.
        """
        bench = self._benches.bench(run, calls)
        if with_coherence:
            references = await self._law.references(exchange.response, run.law_as_of, run.culture)
            exchange = Exchange(
                exchange.question, exchange.policy, exchange.response, exchange.finish_reason, references
            )
        measures = await asyncio.gather(*(judge.measure(exchange, with_coherence=with_coherence) for judge in bench))
        if all(measure.unscored is None and measure.compliance is None for measure in measures):
            names = ", ".join(judge.name for judge in bench)
            raise JudgeUnknownError(
                f"none of the judges {names} measures compliance: add `safety` or a model to run.judges"
            )
        joined = consensus(measures, run.decision)
        return joined if with_coherence else _without_coherence(joined), measures

    async def _harmfulness(self, bench: Sequence[Judge], question: Question, policy: Policy) -> float | None:
        """Mean over the judges that score questions. None: benign, or nobody could tell; the panel's c2 asks again."""
        if question.kind is Kind.BENIGN:
            return None
        outcomes = await asyncio.gather(*(judge.harmfulness(question, policy) for judge in bench))
        self._reached([outcome for outcome in outcomes if isinstance(outcome, Unscored)])
        return ranking.mean([outcome for outcome in outcomes if isinstance(outcome, float)])

    async def _weighed(self, bench: Sequence[Judge], record: Record, candidate: Candidate) -> Weighed:
        if candidate.missing:
            scored = Scored(candidate.writer, None, None, (f"no answer: {candidate.missing}",))
            return Weighed(candidate, References(), scored)
        references = await self._law.references(candidate.text, record.run.law_as_of, record.run.culture)
        if wrong := objections(references):
            return Weighed(candidate, references, Scored(candidate.writer, None, None, tuple(wrong)))
        exchange = Exchange(record.question, record.policy, candidate.text, references=references)
        measures = await asyncio.gather(*(judge.measure(exchange, with_coherence=True) for judge in bench))
        self._reached([measure.unscored for measure in measures])
        kind = record.question.kind
        safeties = [ranking.safety(kind, measure) for measure in measures]
        scored = Scored(
            candidate.writer,
            ranking.mean([value for value in safeties if value is not None]),
            ranking.mean([measure.coherence for measure in measures if measure.coherence is not None]),
            tuple(ranking.unmeasured(measures)),
        )
        return Weighed(candidate, references, scored)

    async def _panel(
        self,
        bench: Sequence[Judge],
        record: Record,
        harmfulness: float | None,
        weighed: tuple[Weighed, ...],
        ranked: Ranking,
        chosen: Weighed,
    ) -> Accepted | Dropped:
        pair = Pair(record.question, record.policy, chosen.candidate.text, record.rejected, chosen.references)
        votes = await asyncio.gather(*(judge.votes(pair) for judge in bench))
        ballots = [
            Ballot(j.name, cast, quotable=j.model == BUILTIN_MODEL) for j, cast in zip(bench, votes, strict=True)
        ]
        if (missing := panel.unreachable(ballots)) is not None:
            raise VoteMissingError(f"judge {missing[0]} gave no vote: {missing[1].detail}")
        verdict = panel.decided(ballots, record.run.decision)
        if not verdict.accepted:
            return Dropped(Drop.PANEL, panel.dissent(ballots, verdict))
        seated = tuple((judge.model, ballot) for judge, ballot in zip(bench, ballots, strict=True))
        return Accepted(chosen.candidate, weighed, dict(ranked.because), seated, harmfulness, disputed=verdict.disputed)

    def _reached(self, outcomes: Sequence[Unscored | None]) -> None:
        if (missing := ranking.unreachable(outcomes)) is not None:
            raise VoteMissingError(f"a judge could not be reached: {missing.detail}")


def _without_coherence(measure: Measure) -> Measure:
    return Measure(
        measure.judge,
        measure.compliance,
        measure.rubrics,
        measure.safe,
        measure.stance,
        unscored=measure.unscored,
    )
