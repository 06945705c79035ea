"""Between the wire and the domain: the only module that speaks both, and where what is missing is refused.

Seed, policy and run pass through unchanged, so they stay the messages they came as; only what is decided on is parsed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from gyeol.api.candidate.v1 import candidate_pb2
from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.policy.v1.policy_pb2 import Passage as PassagePb
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered, RenderedPolicy
from gyeol.api.score.v1.score_pb2 import ResponseScore
from gyeol.api.seed.v1 import seed_pb2
from gyeol.candidate.domain.assignment import Written
from gyeol.candidate.domain.material import Material, Passage
from gyeol.candidate.domain.rotation import SLOT
from gyeol.candidate.domain.usage import Used
from gyeol.candidate.errors import RecordError
from gyeol.candidate.mining import NotMined, Score, Subject
from gyeol.candidate.service import Work

STAGE = "candidate"
PARTS = ("open", "refuse", "law", "people", "kernel", "next")


def record_from_pb(event: PolicyRendered) -> candidate_pb2.WriteCandidatesRequest:
    return candidate_pb2.WriteCandidatesRequest(run=event.run, seed=event.seed, policy=event.policy)


def checked(record: candidate_pb2.WriteCandidatesRequest) -> candidate_pb2.WriteCandidatesRequest:
    """Refuses a record that cannot be worked on.

    Raises:
      RecordError: Names the field that is missing and what to do.
    """
    for field, value in (
        ("run.run_id", record.run.run_id),
        ("run.target", record.run.target.name or record.run.target.base_url),
        ("seed.id", record.seed.id),
        ("seed.text", record.seed.text),
        ("seed.kind", record.seed.kind),
        ("policy.id", record.policy.id),
        ("policy.digest", record.policy.digest),
    ):
        if not value:
            raise RecordError(f"{field} is empty: send the record as the policy service rendered it")
    if record.run.target.base_url and not record.run.target.model:
        raise RecordError("run.target.model is empty: name the model to ask at run.target.base_url")
    return record


def subject_from_pb(record: candidate_pb2.WriteCandidatesRequest) -> Subject:
    """Parses what is mined.

    Raises:
      RecordError: A wrapper has no `{seed}`.
    """
    wrappers = {strategy.id: tuple(strategy.wrappers) for strategy in record.policy.attacks}
    for strategy, held in wrappers.items():
        for index, wrapper in enumerate(held):
            if SLOT not in wrapper:
                raise RecordError(f"policy.attacks[{strategy}].wrappers[{index}] has no {SLOT}: add it to the pack")
    return Subject(
        seed_id=record.seed.id,
        text=record.seed.text,
        benign=record.seed.kind == seed_pb2.SEED_KIND_BENIGN,
        register=record.policy.register,
        wrappers=wrappers,
    )


def material_from_pb(policy: RenderedPolicy, slots: dict[str, str]) -> Material:
    return Material(
        parts={part: _passages(getattr(policy, part)) for part in PARTS},
        replies=_passages(policy.reply),
        register=policy.register,
        statutes=tuple(policy.statutes),
        slots=slots,
    )


def score_from_pb(score: ResponseScore) -> Score:
    unscored = ""
    if score.HasField("unscored"):
        unscored = failure_pb2.UnscoredReason.Name(score.unscored.reason).removeprefix("UNSCORED_REASON_")
    return Score(
        compliance=score.compliance if score.HasField("compliance") and not unscored else None,
        violated=any(rubric.WhichOneof("outcome") == "met" and not rubric.met for rubric in score.rubrics),
        refused=score.refused if score.HasField("refused") else None,
        unscored=unscored,
        proof=score.SerializeToString(),
    )


def written_to_pb(record: candidate_pb2.WriteCandidatesRequest, work: Work) -> candidate_pb2.CandidatesWritten:
    found = work.mined
    return candidate_pb2.CandidatesWritten(
        run=record.run,
        seed=record.seed,
        policy=record.policy,
        mined=candidate_pb2.MinedPrompt(
            prompt=[candidate_pb2.ChatMessage(role="user", content=found.prompt)],
            strategy=found.strategy,
            attempt=found.attempt,
            rejected=found.rejected,
            score=ResponseScore.FromString(found.score.proof) if found.score is not None else None,
            target=record.run.target,
            usage=_usage(found.used),
            least_compliance=found.least_compliance,
            rejected_source=found.source if record.seed.kind == seed_pb2.SEED_KIND_BENIGN else "",
        ),
        candidates=[_candidate_to_pb(each) for each in work.written],
    )


def dropped_to_pb(
    record: candidate_pb2.WriteCandidatesRequest, outcome: NotMined, at: datetime
) -> failure_pb2.RecordDropped:
    evidence = PolicyRendered(run=record.run, seed=record.seed, policy=record.policy)
    dropped = failure_pb2.RecordDropped(
        run=record.run,
        record_id=record.seed.id,
        stage=STAGE,
        stratum=record.seed.stratum,
        reason=failure_pb2.DROP_REASON_NOT_MINED,
        detail=outcome.detail,
        evidence=evidence.SerializeToString(deterministic=True),
    )
    dropped.dropped_at.FromDatetime(at)
    return dropped


def _candidate_to_pb(written: Written) -> candidate_pb2.Candidate:
    candidate = candidate_pb2.Candidate(
        writer=written.writer, model=written.model, text=written.text, usage=_usage(written.used)
    )
    if written.unscored:
        candidate.unscored.reason = failure_pb2.UnscoredReason.Value(f"UNSCORED_REASON_{written.unscored}")
        candidate.unscored.detail = written.detail
    return candidate


def _usage(used: Used) -> candidate_pb2.Usage:
    return candidate_pb2.Usage(
        prompt_tokens=used.prompt_tokens,
        completion_tokens=used.completion_tokens,
        cost=used.cost,
        cached=used.cached,
    )


def _passages(passages: Iterable[PassagePb]) -> tuple[Passage, ...]:
    return tuple(Passage(each.text, each.statute, each.article, each.institution) for each in passages)
