"""Events of the stages, parsed."""

from __future__ import annotations

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from gyeol.api.failure.v1.failure_pb2 import DropReason, RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import Triplet, TripletAccepted
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1.law_pb2 import CitationVerdict
from gyeol.api.seed.v1.seed_pb2 import SeedKind
from gyeol.ledger.domain.event import Acceptance, CitedArticle, Drop, Failure, StageDone
from gyeol.ledger.domain.record import STAGES
from gyeol.ledger.errors import FieldInvalidError

_LONGEST_ID = 300
_KINDS = {SeedKind.SEED_KIND_HARMFUL: "harmful", SeedKind.SEED_KIND_BENIGN: "benign"}


def stage_done_from_pb(event: StageCompleted) -> StageDone:
    """Raises: FieldInvalidError."""
    return StageDone(
        run_id=_id("run_id", event.run_id),
        record_id=_id("record_id", event.record_id),
        stratum=_clean("stratum", event.stratum),
        stage=_stage(event.stage),
        output_digest=_clean("output_digest", event.output_digest),
        calls=event.calls,
        cached_calls=event.cached_calls,
    )


def acceptance_from_pb(event: TripletAccepted) -> Acceptance:
    """Raises: FieldInvalidError."""
    triplet = event.triplet
    kind = _KINDS.get(triplet.seed.kind)
    if kind is None:
        raise FieldInvalidError(
            "triplet.seed.kind", triplet.seed.kind, "neither harmful nor benign", "Set the kind of the seed."
        )
    if not (triplet.prompt and triplet.chosen and triplet.rejected):
        raise FieldInvalidError("triplet", triplet.id, "prompt, chosen or rejected is empty", "Send all three texts.")
    payload, apart = parted(triplet)
    return Acceptance(
        run_id=_id("run.run_id", event.run.run_id),
        record_id=_id("triplet.record_id", triplet.record_id),
        stratum=_clean("triplet.seed.stratum", triplet.seed.stratum),
        triplet_id=_id("triplet.id", triplet.id),
        category=_clean("triplet.seed.category", triplet.seed.category),
        kind=kind,
        question=_clean("triplet.seed.text", triplet.seed.text),
        policy_id=_clean("triplet.policy_id", triplet.policy_id),
        policy_version=triplet.policy_version,
        policy_digest=_clean("triplet.policy_digest", triplet.policy_digest),
        disputed=triplet.disputed,
        accepted_at=_moment(triplet.accepted_at),
        citations=_citations(triplet),
        payload=payload,
        apart=apart,
    )


def drop_from_pb(event: RecordDropped) -> Drop:
    """Raises: FieldInvalidError."""
    try:
        reason = DropReason.Name(event.reason).removeprefix("DROP_REASON_")
    except ValueError:
        raise FieldInvalidError(
            "reason", event.reason, "no such drop reason", "Upgrade the ledger before the stages."
        ) from None
    kept = RecordDropped()
    kept.CopyFrom(event)
    kept.ClearField("evidence")
    return Drop(
        run_id=_id("run.run_id", event.run.run_id),
        record_id=_id("record_id", event.record_id),
        stratum=_clean("stratum", event.stratum),
        stage=_stage(event.stage),
        reason=reason,
        dropped_at=_moment(event.dropped_at),
        payload=kept.SerializeToString(),
        apart=event.evidence,
    )


def failure_from_pb(event: RecordFailed) -> Failure | None:
    """A dead letter, or None when nobody can tell whose it is.

    It is never refused: a refused dead letter would come back as another dead letter, for ever.
    """
    run_id, record_id = event.run_id.replace("\0", ""), event.record_id.replace("\0", "")
    if not run_id or not record_id:
        return None
    kept = RecordFailed()
    kept.CopyFrom(event)
    kept.ClearField("payload")
    return Failure(
        run_id=run_id[:_LONGEST_ID],
        record_id=record_id[:_LONGEST_ID],
        stratum=event.stratum.replace("\0", ""),
        stage=event.stage.replace("\0", ""),
        failed_at=_moment(event.failed_at),
        payload=kept.SerializeToString(),
        apart=event.payload,
    )


def parted(triplet: Triplet) -> tuple[bytes, bytes]:
    """A triplet without its rejected text, and the rejected text alone; merging both gives the whole."""
    kept, apart = Triplet(), Triplet(rejected=triplet.rejected)
    kept.CopyFrom(triplet)
    kept.ClearField("rejected")
    if triplet.mined.rejected:
        apart.mined.rejected = triplet.mined.rejected
        kept.mined.ClearField("rejected")
    return kept.SerializeToString(deterministic=True), apart.SerializeToString(deterministic=True)


def whole(payload: bytes, apart: bytes) -> Triplet:
    """The triplet with its rejected text."""
    triplet = Triplet.FromString(payload)
    triplet.MergeFromString(apart)
    return triplet


def _citations(triplet: Triplet) -> tuple[CitedArticle, ...]:
    cited: dict[tuple[str, str], CitedArticle] = {}
    for ranked in triplet.candidates:
        if ranked.candidate.writer == triplet.chosen_writer:
            for citation in ranked.candidate.citations:
                verdict = CitationVerdict.Name(citation.verdict).removeprefix("CITATION_VERDICT_")
                law, article = _clean("citation.law", citation.law), _clean("citation.article", citation.article)
                cited.setdefault((law, article), CitedArticle(law, article, verdict))
    return tuple(cited.values())


def _id(field: str, value: str) -> str:
    if not value or len(value) > _LONGEST_ID:
        raise FieldInvalidError(field, value, "not a usable id", f"Send 1 to {_LONGEST_ID} characters.")
    return _clean(field, value)


def _clean(field: str, value: str) -> str:
    if "\0" in value:
        raise FieldInvalidError(field, value, "holds a NUL character, which no database stores as text", "Remove it.")
    return value


def _stage(stage: str) -> str:
    if stage not in STAGES:
        raise FieldInvalidError("stage", stage, "no such stage", f"Send one of {', '.join(STAGES)}.")
    return stage


def _moment(timestamp: Timestamp) -> datetime:
    return timestamp.ToDatetime(tzinfo=UTC)
