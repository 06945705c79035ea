"""The JetStream door: what stages report goes into the journal, and nothing comes out."""

from __future__ import annotations

from collections.abc import Sequence

from gyeol.api.failure.v1.failure_pb2 import RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.chassis import logs
from gyeol.chassis.bus import Publication
from gyeol.ledger.convert.event import acceptance_from_pb, drop_from_pb, failure_from_pb, stage_done_from_pb
from gyeol.ledger.service.journal import Journal

_log = logs.get()


class LedgerConsumer:
    """A handler for each event; each returns once its event is committed."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def stage_completed(self, event: StageCompleted) -> Sequence[Publication]:
        await self._journal.append(stage_done_from_pb(event))
        return ()

    async def triplet_accepted(self, event: TripletAccepted) -> Sequence[Publication]:
        await self._journal.append(acceptance_from_pb(event))
        return ()

    async def record_dropped(self, event: RecordDropped) -> Sequence[Publication]:
        await self._journal.append(drop_from_pb(event))
        return ()

    async def record_failed(self, event: RecordFailed) -> Sequence[Publication]:
        entry = failure_from_pb(event)
        if entry is None:
            _log.warning("dead_letter_without_record", stage=event.stage, subject=event.subject, meaning=event.meaning)
        else:
            await self._journal.append(entry)
        return ()
