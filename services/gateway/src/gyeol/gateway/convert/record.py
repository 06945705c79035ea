"""Triplets, drops, failures and what was revealed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

from google.protobuf.timestamp_pb2 import Timestamp

from gyeol.api.candidate.v1 import candidate_pb2
from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1.failure_pb2 import DropReason, RecordDropped, RecordFailed, Unscored, UnscoredReason
from gyeol.api.judge.v1 import judge_pb2
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.policy.v1.law_pb2 import Citation as CitationPb
from gyeol.api.policy.v1.law_pb2 import CitationVerdict
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.api.score.v1.score_pb2 import CriterionScore
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, Seed, SeedGenerated
from gyeol.gateway.view.record import (
    Access,
    Candidate,
    Citation,
    Criterion,
    Loss,
    Message,
    Revealed,
    Triplet,
    TripletDetail,
    Verdict,
)

Review = Literal["pending", "approved", "rejected"]
REVIEWS: dict[Review, pb.Review.ValueType] = {
    "pending": pb.REVIEW_PENDING,
    "approved": pb.REVIEW_APPROVED,
    "rejected": pb.REVIEW_REJECTED,
}
_REVIEW_WORDS = {number: word for word, number in REVIEWS.items()}


def moment(timestamp: Timestamp) -> datetime:
    return timestamp.ToDatetime(tzinfo=UTC)


def triplet_from_pb(stored: pb.StoredTriplet) -> Triplet:
    triplet = stored.triplet
    return Triplet(
        id=triplet.id,
        record_id=triplet.record_id,
        question=triplet.seed.text,
        kind=_kind(triplet.seed),
        stratum=triplet.seed.stratum,
        category=triplet.seed.category,
        type=triplet.seed.type,
        chosen_writer=triplet.chosen_writer,
        disputed=triplet.disputed,
        review=_REVIEW_WORDS.get(stored.review, "pending"),
        overlaps_with=stored.overlaps_with,
        accepted_at=moment(triplet.accepted_at),
    )


def triplet_detail_from_pb(stored: pb.StoredTriplet, history: Iterable[pb.Access]) -> TripletDetail:
    triplet, mined = stored.triplet, stored.triplet.mined
    return TripletDetail(
        **dict(triplet_from_pb(stored)),
        prompt=_messages(triplet.prompt),
        chosen=triplet.chosen,
        candidates=_ranked(triplet.candidates, triplet.chosen_writer),
        verdicts=tuple(
            Verdict(judge=one.judge, model=one.model, criteria=tuple(map(_criterion, one.criteria)))
            for one in triplet.verdicts
        ),
        strategy=mined.strategy,
        attempt=mined.attempt,
        target=mined.target.model or mined.target.name,
        compliance=mined.score.compliance if mined.score.HasField("compliance") else None,
        rejected_source=mined.rejected_source,
        query_score=triplet.query_score if triplet.HasField("query_score") else None,
        mold_id=triplet.seed.mold_id,
        slots=dict(sorted(triplet.seed.slots.items())),
        policy_id=triplet.policy_id,
        policy_version=triplet.policy_version,
        policy_digest=triplet.policy_digest,
        law_as_of=triplet.law_as_of,
        reviewer=stored.reviewer,
        comment=stored.comment,
        history=tuple(map(access_from_pb, history)),
    )


def access_from_pb(access: pb.Access) -> Access:
    return Access(
        action=access.action,
        person=access.person,
        comment=access.comment,
        at=moment(access.at),
        record_id=access.record_id,
    )


def losses_from_pb(answer: pb.ListDropsResponse) -> tuple[Loss, ...]:
    """Drops and failures together, newest first."""
    losses = [_drop(one) for one in answer.drops] + [_failure(one) for one in answer.failures]
    return tuple(sorted(losses, key=lambda loss: (loss.at, loss.record_id), reverse=True))


def revealed_from_pb(answer: pb.RevealRejectedResponse) -> Revealed:
    """What is readable of rejected text or evidence; evidence of an unknown kind stays closed."""
    if answer.rejected:
        return Revealed(rejected=answer.rejected, question="", prompt=(), candidates=())
    for event in (CandidatesWritten, PolicyRendered, SeedGenerated):
        if event.DESCRIPTOR.full_name == answer.evidence_type:
            return _evidence(event.FromString(answer.evidence))
    return Revealed(rejected="", question="", prompt=(), candidates=())


def citation_from_pb(citation: CitationPb) -> Citation:
    words = {
        CitationVerdict.CITATION_VERDICT_VERIFIED: "VERIFIED",
        CitationVerdict.CITATION_VERDICT_NOT_IN_FORCE: "NOT_IN_FORCE",
        CitationVerdict.CITATION_VERDICT_NOT_FOUND: "NOT_FOUND",
    }
    return Citation.model_validate(
        {
            "text": citation.text,
            "start": citation.start,
            "end": citation.end,
            "law": citation.law,
            "article": citation.article,
            # What was not checked, or in words we do not know, never counts as verified.
            "verdict": words.get(citation.verdict, "UNCHECKED"),
            "reason": citation.reason,
            "suggestion": citation.suggestion,
        }
    )


def _evidence(event: CandidatesWritten | PolicyRendered | SeedGenerated) -> Revealed:
    if not isinstance(event, CandidatesWritten):
        return Revealed(rejected="", question=event.seed.text, prompt=(), candidates=())
    candidates = [judge_pb2.RankedCandidate(candidate=one) for one in event.candidates]
    return Revealed(
        rejected=event.mined.rejected,
        question=event.seed.text,
        prompt=_messages(event.mined.prompt),
        candidates=_ranked(candidates, ""),
    )


def _ranked(ranked: Iterable[judge_pb2.RankedCandidate], chosen: str) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            writer=one.candidate.writer,
            model=one.candidate.model,
            text=one.candidate.text,
            safety=one.safety if one.HasField("safety") else None,
            coherence=one.coherence if one.HasField("coherence") else None,
            chosen=one.candidate.writer == chosen,
            rejected_because=one.rejected_because,
            unscored=_unscored(one.candidate.unscored) if one.candidate.HasField("unscored") else "",
            citations=tuple(map(citation_from_pb, one.candidate.citations)),
        )
        for one in ranked
    )


def _criterion(score: CriterionScore) -> Criterion:
    measured = score.WhichOneof("outcome") == "met"
    return Criterion(
        criterion=score.criterion,
        met=score.met if measured else None,
        unscored="" if measured else _unscored(score.unscored),
        reason=score.reason,
    )


def _unscored(unscored: Unscored) -> str:
    reason = UnscoredReason.Name(unscored.reason).removeprefix("UNSCORED_REASON_")
    return f"{reason}: {unscored.detail}" if unscored.detail else reason


def _messages(messages: Iterable[candidate_pb2.ChatMessage]) -> tuple[Message, ...]:
    return tuple(Message(role=one.role, content=one.content) for one in messages)


def _kind(seed: Seed) -> Literal["harmful", "benign"]:
    return "benign" if seed.kind == SEED_KIND_BENIGN else "harmful"


def _drop(drop: RecordDropped) -> Loss:
    return Loss(
        outcome="drop",
        record_id=drop.record_id,
        stage=drop.stage,
        stratum=drop.stratum,
        reason=DropReason.Name(drop.reason).removeprefix("DROP_REASON_"),
        detail=drop.detail,
        deliveries=1,
        at=moment(drop.dropped_at),
    )


def _failure(failure: RecordFailed) -> Loss:
    return Loss(
        outcome="failure",
        record_id=failure.record_id,
        stage=failure.stage,
        stratum=failure.stratum,
        reason=failure.meaning,
        detail=failure.detail,
        deliveries=failure.deliveries,
        at=moment(failure.failed_at),
    )
