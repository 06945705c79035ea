"""The JetStream door."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from google.protobuf.message import Message

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1.failure_pb2 import RecordDropped
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.chassis.bus import Publication
from gyeol.chassis.clock import Clock
from gyeol.judge.bench import Calls
from gyeol.judge.convert.record import record_from_pb
from gyeol.judge.convert.triplet import STAGE, accepted_to_pb, dropped_to_pb
from gyeol.judge.service import Accepted, Judging


class JudgeConsumer:
    """Turns written candidates into a triplet or a drop."""

    def __init__(self, judging: Judging, clock: Clock) -> None:
        self._judging = judging
        self._clock = clock

    async def candidates_written(self, event: CandidatesWritten) -> Sequence[Publication]:
        calls = Calls(f"{event.run.run_id}/{event.seed.id}/{STAGE}")
        output = await decided(self._judging, self._clock, event, calls)
        done = StageCompleted(
            run_id=event.run.run_id,
            record_id=event.seed.id,
            stage=STAGE,
            stratum=event.seed.stratum,
            output_digest=_digest(output),
            calls=calls.paid,
            cached_calls=calls.cached,
        )
        return [
            Publication(message, event.run.run_id, event.seed.id, stratum=event.seed.stratum)
            for message in (output, done)
        ]


async def decided(
    judging: Judging, clock: Clock, written: CandidatesWritten, calls: Calls
) -> TripletAccepted | RecordDropped:
    """Judges a record; the same for both doors."""
    outcome = await judging.judge(record_from_pb(written), calls)
    if isinstance(outcome, Accepted):
        return accepted_to_pb(written, outcome, clock.now())
    return dropped_to_pb(written, outcome, clock.now())


def _digest(output: TripletAccepted | RecordDropped) -> str:
    """Of what was decided, not of when: a redelivered record has the same digest."""
    timeless: Message = type(output).FromString(output.SerializeToString())
    if isinstance(timeless, TripletAccepted):
        timeless.triplet.ClearField("accepted_at")
    elif isinstance(timeless, RecordDropped):
        timeless.ClearField("dropped_at")
    return hashlib.sha256(timeless.SerializeToString(deterministic=True)).hexdigest()
