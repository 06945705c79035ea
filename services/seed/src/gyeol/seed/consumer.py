"""The JetStream door."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from google.protobuf.message import Message

from gyeol.api.failure.v1.failure_pb2 import RecordDropped
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated, SeedsRequested
from gyeol.chassis.bus import Publication
from gyeol.chassis.clock import Clock
from gyeol.seed import convert
from gyeol.seed.domain.seed import Made
from gyeol.seed.service import Seeding

STAGE: Final = "seed"


class SeedConsumer:
    """Turns one request of a run into its records; a refused seed is a record too, dropped at once."""

    def __init__(self, seeding: Seeding, clock: Clock) -> None:
        self._seeding = seeding
        self._clock = clock

    async def seeds_requested(self, event: SeedsRequested) -> Sequence[Publication]:
        asked = convert.run_request_from_pb(event)
        batch = await self._seeding.seeds(asked)
        return [output for made in batch.made for output in self._publications(event.run, made, asked.stratum)]

    def _publications(self, run: RunContext, made: Made, stratum: str) -> list[Publication]:
        seed = convert.seed_to_pb(made.seed, stratum)
        generated = SeedGenerated(run=run, seed=seed)
        events: list[Message]
        if made.refusal:
            dropped = RecordDropped(
                run=run,
                record_id=seed.id,
                stage=STAGE,
                stratum=seed.stratum,
                reason=convert.reason_to_pb(made),
                detail=made.detail,
                evidence=generated.SerializeToString(),
            )
            dropped.dropped_at.FromDatetime(self._clock.now())
            events = [dropped]
        else:
            done = StageCompleted(
                run_id=run.run_id,
                record_id=seed.id,
                stage=STAGE,
                stratum=seed.stratum,
                output_digest=hashlib.sha256(generated.SerializeToString(deterministic=True)).hexdigest(),
            )
            events = [generated, done]
        return [Publication(event, run.run_id, seed.id, stratum=seed.stratum) for event in events]
