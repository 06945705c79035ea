"""Records, questions and responses as they come in."""

from __future__ import annotations

from collections.abc import Sequence

from gyeol.api.candidate.v1.candidate_pb2 import Candidate as CandidatePb
from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten, ChatMessage
from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.judge.v1 import judge_pb2
from gyeol.api.policy.v1.policy_pb2 import RenderedPolicy
from gyeol.api.run.v1 import run_pb2
from gyeol.api.seed.v1 import seed_pb2
from gyeol.judge.domain.case import Candidate, Decision, Exchange, Kind, Policy, Question, Record, Rubric, Run
from gyeol.judge.errors import RecordError

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


def _candidate_from_pb(candidate: CandidatePb) -> Candidate:
    missing = ""
    if candidate.HasField("unscored"):
        missing = candidate.unscored.detail or failure_pb2.UnscoredReason.Name(candidate.unscored.reason)
    elif not candidate.text.strip():
        missing = "the writer's answer is empty"
    return Candidate(candidate.writer, candidate.text, missing)
