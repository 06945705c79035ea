"""Triplets, drops and failures as protos."""

from __future__ import annotations

from google.protobuf.message import Message

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1.failure_pb2 import DropReason, RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import Triplet
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated, SeedKind
from gyeol.ledger.convert.run import moment_to_pb
from gyeol.ledger.domain.triplet import (
    Access,
    DropFilter,
    Loss,
    RejectedText,
    Review,
    StoredTriplet,
    TripletFilter,
)
from gyeol.ledger.errors import FieldInvalidError

_REVIEWS = {
    pb.REVIEW_PENDING: Review.PENDING,
    pb.REVIEW_APPROVED: Review.APPROVED,
    pb.REVIEW_REJECTED: Review.REJECTED,
}
_REVIEWS_TO_PB = {review: number for number, review in _REVIEWS.items()}
_KINDS = {SeedKind.SEED_KIND_HARMFUL: "harmful", SeedKind.SEED_KIND_BENIGN: "benign"}
_EVIDENCE: dict[str, type[Message]] = {
    "seed": SeedGenerated,
    "policy": SeedGenerated,
    "candidate": PolicyRendered,
    "judge": CandidatesWritten,
}
"""What each stage receives, and so what the evidence of its drops is."""


def review_from_pb(review: pb.Review.ValueType) -> Review | None:
    """None when unset. Raises: FieldInvalidError."""
    if review == pb.REVIEW_UNSPECIFIED:
        return None
    if review not in _REVIEWS:
        raise FieldInvalidError("review", review, "no such review", "Send pending, approved or rejected.")
    return _REVIEWS[review]


def triplet_filter_from_pb(request: pb.ListTripletsRequest) -> TripletFilter:
    """Raises: FieldInvalidError."""
    return TripletFilter(
        category=request.category,
        stratum=request.stratum,
        kind=_KINDS.get(request.kind, ""),
        review=review_from_pb(request.review),
        disputed_only=request.disputed_only,
        query=request.query,
    )


def drop_filter_from_pb(request: pb.ListDropsRequest) -> DropFilter:
    reason = DropReason.Name(request.reason).removeprefix("DROP_REASON_") if request.reason else ""
    return DropFilter(reason=reason, stage=request.stage, stratum=request.stratum)


def stored_triplet_to_pb(stored: StoredTriplet) -> pb.StoredTriplet:
    return pb.StoredTriplet(
        triplet=Triplet.FromString(stored.payload),
        run_id=stored.run_id,
        review=_REVIEWS_TO_PB[stored.review],
        reviewer=stored.reviewer,
        comment=stored.comment,
        overlaps_with=stored.overlaps_with,
    )


def access_to_pb(access: Access) -> pb.Access:
    return pb.Access(
        action=access.action,
        person=access.person,
        comment=access.comment,
        at=moment_to_pb(access.at),
        record_id=access.record_id,
    )


def losses_to_pb(losses: list[Loss], token: str) -> pb.ListDropsResponse:
    return pb.ListDropsResponse(
        drops=[RecordDropped.FromString(loss.payload) for loss in losses if loss.origin == "drop"],
        failures=[RecordFailed.FromString(loss.payload) for loss in losses if loss.origin == "failure"],
        next_page_token=token,
    )


def rejected_text_to_pb(text: RejectedText) -> pb.RevealRejectedResponse:
    if text.origin == "triplet":
        return pb.RevealRejectedResponse(rejected=Triplet.FromString(text.content).rejected)
    event = _EVIDENCE.get(text.stage)
    return pb.RevealRejectedResponse(
        evidence=text.content, evidence_type=event.DESCRIPTOR.full_name if event is not None else ""
    )
