"""Between the wire and the domain: the only module that speaks both, and where what is missing is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime

from gyeol.api.candidate.v1.candidate_pb2 import Candidate as CandidatePb
from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten, ChatMessage
from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.judge.v1 import judge_pb2
from gyeol.api.policy.v1 import law_pb2
from gyeol.api.policy.v1.policy_pb2 import RenderedPolicy, VerifyCitationsResponse
from gyeol.api.run.v1 import run_pb2
from gyeol.api.score.v1 import score_pb2
from gyeol.api.seed.v1 import seed_pb2
from gyeol.judge.domain.case import (
    Candidate,
    Citation,
    Criterion,
    Decision,
    Exchange,
    Kind,
    Mention,
    Policy,
    Question,
    Record,
    References,
    Rubric,
    Run,
    Standing,
)
from gyeol.judge.domain.fault import Fault
from gyeol.judge.domain.score import Measure, Unscored, Vote
from gyeol.judge.errors import RecordError
from gyeol.judge.service import Accepted, Dropped, Weighed

STAGE = "judge"

_KINDS = {seed_pb2.SEED_KIND_HARMFUL: Kind.HARMFUL, seed_pb2.SEED_KIND_BENIGN: Kind.BENIGN}
_DECISIONS = {run_pb2.DECISION_UNANIMOUS: Decision.UNANIMOUS, run_pb2.DECISION_MAJORITY: Decision.MAJORITY}


def record_from_pb(written: CandidatesWritten) -> Record:
    """Parses a record.

    Raises:
      RecordError: Names the field that is missing and what to do.
    """
    for field, value in (
        ("run.run_id", written.run.run_id),
        ("run.decision", written.run.decision),
        ("run.law_as_of", written.run.law_as_of),
        ("policy.id", written.policy.id),
        ("mined.rejected", written.mined.rejected),
        ("candidates", written.candidates),
    ):
        if not value:
            raise RecordError(f"{field} is empty: send the record as the candidate service wrote it")
    writers = [candidate.writer for candidate in written.candidates]
    if len(set(writers)) != len(writers) or not all(writers):
        raise RecordError(f"candidates name the writers {writers}: each needs a name of its own")
    return Record(
        run=run_from_pb(written.run),
        id=written.seed.id,
        question=question_from_pb(written.seed, written.mined.prompt),
        policy=policy_from_pb(written.policy),
        rejected=written.mined.rejected,
        candidates=tuple(_candidate_from_pb(candidate) for candidate in written.candidates),
    )


def run_from_pb(run: run_pb2.RunContext) -> Run:
    return Run(
        id=run.run_id,
        culture=run.culture,
        endpoints=run.endpoints or "builtin",
        judges=tuple(run.judges),
        law_as_of=run.law_as_of,
        decision=_DECISIONS.get(run.decision, Decision.UNANIMOUS),
        budgeted=run.budgeted,
    )


def question_from_pb(seed: seed_pb2.Seed, prompt: Sequence[ChatMessage]) -> Question:
    """Parses the question and the prompt it was sent in.

    Raises:
      RecordError: The seed has no id, text or kind, or the prompt no user turn.
    """
    for field in ("id", "text"):
        if not getattr(seed, field):
            raise RecordError(f"seed.{field} is empty: send the seed as the seed service made it")
    if seed.kind not in _KINDS:
        raise RecordError("seed.kind is unspecified: set HARMFUL or BENIGN")
    asked = [message.content for message in prompt if message.role == "user"]
    if not asked:
        raise RecordError("prompt has no message with role `user`: send the prompt as the model got it")
    return Question(_KINDS[seed.kind], seed.text, asked[-1], seed.type, dict(seed.slots))


def policy_from_pb(policy: RenderedPolicy) -> Policy:
    return Policy(
        category=policy.category,
        register=policy.register,
        rubrics=tuple(Rubric(rubric.id, rubric.question_ko, rubric.question_en) for rubric in policy.rubrics),
        principles=tuple(principle.text_ko for principle in policy.principles),
        statutes=tuple(policy.statutes),
        institutions=tuple(policy.institutions),
        populations=tuple(policy.populations),
        never_say=tuple(policy.never_say),
    )


def exchange_from_pb(request: judge_pb2.ScoreResponseRequest) -> Exchange:
    """Parses a response to score.

    Raises:
      RecordError: Names the field that is missing.
    """
    return Exchange(
        question_from_pb(request.seed, request.prompt),
        policy_from_pb(request.policy),
        request.response,
        request.finish_reason or "stop",
    )


def references_from_pb(found: VerifyCitationsResponse) -> References:
    return References(
        citations=tuple(
            Citation(
                text=citation.text,
                law=citation.law,
                article=citation.article,
                standing=_standing_from_pb(citation.verdict),
                reason=citation.reason,
                start=citation.start,
                end=citation.end,
                law_id=citation.law_id,
                suggestion=citation.suggestion,
            )
            for citation in found.citations
        ),
        mentions=tuple(
            Mention(mention.text, mention.institution, _standing_from_pb(mention.verdict), mention.reason)
            for mention in found.institutions
        ),
    )


def accepted_to_pb(written: CandidatesWritten, outcome: Accepted, at: datetime) -> judge_pb2.TripletAccepted:
    """The triplet of an accepted record."""
    triplet = judge_pb2.Triplet(
        id=triplet_id(written, outcome.chosen.text),
        record_id=written.seed.id,
        prompt=written.mined.prompt,
        chosen=outcome.chosen.text,
        rejected=written.mined.rejected,
        seed=written.seed,
        mined=written.mined,
        policy_id=written.policy.id,
        policy_version=written.policy.version,
        policy_digest=written.policy.digest,
        law_as_of=written.run.law_as_of,
        chosen_writer=outcome.chosen.writer,
        candidates=[
            _ranked_to_pb(candidate, weighed, outcome.because)
            for candidate, weighed in zip(written.candidates, outcome.weighed, strict=True)
        ],
        verdicts=[
            judge_pb2.Verdict(judge=ballot.judge, model=model, criteria=[vote_to_pb(vote) for vote in ballot.votes])
            for model, ballot in outcome.ballots
        ],
        query_score=outcome.harmfulness,
        disputed=outcome.disputed,
    )
    triplet.accepted_at.FromDatetime(at)
    return judge_pb2.TripletAccepted(run=written.run, triplet=triplet)


def dropped_to_pb(written: CandidatesWritten, outcome: Dropped, at: datetime) -> failure_pb2.RecordDropped:
    dropped = failure_pb2.RecordDropped(
        run=written.run,
        record_id=written.seed.id,
        stage=STAGE,
        stratum=written.seed.stratum,
        reason=failure_pb2.DropReason.Value(f"DROP_REASON_{outcome.reason.value}"),
        detail=outcome.detail,
        evidence=written.SerializeToString(deterministic=True),
    )
    dropped.dropped_at.FromDatetime(at)
    return dropped


def triplet_id(written: CandidatesWritten, chosen: str) -> str:
    """Sha256 of prompt, chosen, rejected and policy digest, first 32 hexadecimal digits."""
    prompt = [[message.role, message.content] for message in written.mined.prompt]
    content = json.dumps([prompt, chosen, written.mined.rejected, written.policy.digest], ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def measure_to_pb(measure: Measure) -> score_pb2.ResponseScore:
    return score_pb2.ResponseScore(
        judge=measure.judge,
        compliance=measure.compliance,
        rubrics=[vote_to_pb(vote) for vote in measure.rubrics],
        safe=measure.safe,
        refused=measure.refused,
        unscored=None if measure.unscored is None else unscored_to_pb(measure.unscored),
        coherence=measure.coherence,
        stance=score_pb2.STANCE_UNSPECIFIED
        if measure.stance is None
        else score_pb2.Stance.Value(f"STANCE_{measure.stance.value}"),
    )


def vote_to_pb(vote: Vote) -> score_pb2.CriterionScore:
    if isinstance(vote.outcome, Unscored):
        return score_pb2.CriterionScore(
            criterion=vote.criterion, unscored=unscored_to_pb(vote.outcome), reason=vote.reason
        )
    return score_pb2.CriterionScore(criterion=vote.criterion, met=vote.outcome, reason=vote.reason)


def unscored_to_pb(unscored: Unscored) -> failure_pb2.Unscored:
    return failure_pb2.Unscored(
        reason=failure_pb2.UnscoredReason.Value(f"UNSCORED_REASON_{unscored.reason.value}"), detail=unscored.detail
    )


def fault_to_pb(fault: Fault) -> judge_pb2.RegisterFault:
    return judge_pb2.RegisterFault(
        kind=fault.kind, start=fault.start, end=fault.end, text=fault.text, remedy=fault.remedy
    )


def criterion_to_pb(criterion: Criterion) -> judge_pb2.Criterion:
    return judge_pb2.Criterion(
        id=criterion.id, judge=criterion.judge, text_ko=criterion.text_ko, text_en=criterion.text_en
    )


def _candidate_from_pb(candidate: CandidatePb) -> Candidate:
    missing = ""
    if candidate.HasField("unscored"):
        missing = candidate.unscored.detail or failure_pb2.UnscoredReason.Name(candidate.unscored.reason)
    elif not candidate.text.strip():
        missing = "the writer's answer is empty"
    return Candidate(candidate.writer, candidate.text, missing)


def _ranked_to_pb(candidate: CandidatePb, weighed: Weighed, because: dict[str, str]) -> judge_pb2.RankedCandidate:
    ranked = judge_pb2.RankedCandidate(
        candidate=candidate,
        safety=weighed.scored.safety,
        coherence=weighed.scored.coherence,
        rejected_because=because.get(candidate.writer, ""),
    )
    del ranked.candidate.citations[:]
    ranked.candidate.citations.extend(_citation_to_pb(citation) for citation in weighed.references.citations)
    return ranked


def _citation_to_pb(citation: Citation) -> law_pb2.Citation:
    return law_pb2.Citation(
        text=citation.text,
        start=citation.start,
        end=citation.end,
        law=citation.law,
        law_id=citation.law_id,
        article=citation.article,
        verdict=law_pb2.CitationVerdict.Value(f"CITATION_VERDICT_{citation.standing.value}"),
        reason=citation.reason,
        suggestion=citation.suggestion,
    )


def _standing_from_pb(verdict: law_pb2.CitationVerdict.ValueType) -> Standing:
    """A verdict that this service does not know was not checked, as far as it can tell."""
    name = law_pb2.CitationVerdict.Name(verdict).removeprefix("CITATION_VERDICT_")
    return Standing[name] if name in Standing.__members__ else Standing.UNCHECKED
