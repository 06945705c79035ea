"""What a record became, on its way out."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Final

from gyeol.api.candidate.v1.candidate_pb2 import Candidate as CandidatePb
from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.judge.v1 import judge_pb2
from gyeol.judge.convert.reference import citation_to_pb
from gyeol.judge.convert.score import vote_to_pb
from gyeol.judge.service import Accepted, Dropped, Weighed

STAGE: Final = "judge"


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


def _ranked_to_pb(candidate: CandidatePb, weighed: Weighed, because: dict[str, str]) -> judge_pb2.RankedCandidate:
    ranked = judge_pb2.RankedCandidate(
        candidate=candidate,
        safety=weighed.scored.safety,
        coherence=weighed.scored.coherence,
        rejected_because=because.get(candidate.writer, ""),
    )
    del ranked.candidate.citations[:]
    ranked.candidate.citations.extend(citation_to_pb(citation) for citation in weighed.references.citations)
    return ranked
