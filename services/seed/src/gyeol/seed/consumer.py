"""The JetStream door."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from google.protobuf.message import Message

from gyeol.api.failure.v1.failure_pb2 import RecordDropped
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated, SeedsRequested
from gyeol.chassis.bus import Publication, subject_of
from gyeol.chassis.bus.dead import dead_letter
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import Meaning
from gyeol.seed import convert
from gyeol.seed.convert import STAGE
from gyeol.seed.domain.seed import Made, Refusal
from gyeol.seed.service import Calls, Seeding


class SeedConsumer:
    """Turns one request of a run into its records; a refused seed is a record too, dropped at once.

    A seed that no judge could score was not found wanting: its record fails, and may be sent on its way later.
    """

    def __init__(self, seeding: Seeding, clock: Clock) -> None:
        self._seeding = seeding
        self._clock = clock

    async def seeds_requested(self, event: SeedsRequested) -> Sequence[Publication]:
        asked = convert.run_request_from_pb(event)
        batch = await self._seeding.seeds(asked)
        # One record stands for the calls of the whole request: none that failed, for a failed stage is not completed.
        bearer = next((made for made in batch.made if made.refusal is not Refusal.UNJUDGED), None)
        return [
            output
            for made in batch.made
            for output in self._publications(event.run, made, asked.stratum, batch.calls if made is bearer else Calls())
        ]

    def _publications(self, run: RunContext, made: Made, stratum: str, calls: Calls) -> list[Publication]:
        seed = convert.seed_to_pb(made.seed, stratum)
        generated = SeedGenerated(run=run, seed=seed)
        done = StageCompleted(
            run_id=run.run_id,
            record_id=seed.id,
            stage=STAGE,
            stratum=seed.stratum,
            output_digest=hashlib.sha256(generated.SerializeToString(deterministic=True)).hexdigest(),
            calls=calls.paid,
            cached_calls=calls.cached,
        )
        events: list[Message] = [generated, done]
        if made.refusal is Refusal.UNJUDGED:
            return [self._failed(made, generated)]
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
            events = [dropped, done] if calls.paid or calls.cached else [dropped]
        return [Publication(event, run.run_id, seed.id, stratum=seed.stratum) for event in events]

    def _failed(self, made: Made, generated: SeedGenerated) -> Publication:
        return dead_letter(
            generated.run.run_id,
            generated.seed.id,
            stage=STAGE,
            subject=subject_of(SeedGenerated),
            meaning=Meaning.INTERNAL,
            detail=made.detail,
            deliveries=1,
            payload=generated.SerializeToString(),
            stratum=generated.seed.stratum,
            at=self._clock.now(),
        )
