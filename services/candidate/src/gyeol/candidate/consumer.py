"""The JetStream door."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1.failure_pb2 import RecordDropped
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.candidate.convert import STAGE, record_from_pb
from gyeol.candidate.desk import Desk
from gyeol.candidate.domain.usage import Spending
from gyeol.chassis.bus import Publication


class CandidateConsumer:
    """Turns a seed and its policy into candidates, or a drop."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def policy_rendered(self, event: PolicyRendered) -> Sequence[Publication]:
        spending = Spending(f"{event.run.run_id}/{event.seed.id}/{STAGE}")
        output = await self._desk.work(record_from_pb(event), spending)
        done = StageCompleted(
            run_id=event.run.run_id,
            record_id=event.seed.id,
            stage=STAGE,
            stratum=event.seed.stratum,
            output_digest=_digest(output),
            calls=spending.paid,
            cached_calls=spending.cached,
        )
        return [
            Publication(message, event.run.run_id, event.seed.id, stratum=event.seed.stratum)
            for message in (output, done)
        ]


def _digest(output: CandidatesWritten | RecordDropped) -> str:
    """Of what was written, not of when: a redelivered record has the same digest."""
    if isinstance(output, RecordDropped):
        timeless = RecordDropped.FromString(output.SerializeToString())
        timeless.ClearField("dropped_at")
        return hashlib.sha256(timeless.SerializeToString(deterministic=True)).hexdigest()
    return hashlib.sha256(output.SerializeToString(deterministic=True)).hexdigest()
