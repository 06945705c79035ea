"""The JetStream door over a real broker: one outcome for each record, whatever is delivered twice."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten, MinedPrompt
from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_NO_CANDIDATE, RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.chat import Chat
from gyeol.chassis.settings import ServiceSettings
from gyeol.judge.bench import builtin
from gyeol.judge.consumer import JudgeConsumer
from gyeol.judge.endpoint import Benches
from gyeol.judge.law import PolicyLaw
from gyeol.judge.lexicon import lexicon, panel_criteria
from gyeol.judge.service import Judging, Thresholds
from gyeol.judge.turn import Turns
from support.clock import SteppedClock
from support.judging import SAFE, LawBook, law_door, serving, written
from support.nats import NatsServer, nats  # noqa: F401
from support.reading import read


class Stage:
    """A running judge consumer, and what it published."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus

    async def put(self, *records: CandidatesWritten) -> None:
        for record in records:
            await self.bus.publish(Publication(record, record.run.run_id, record.seed.id, id=uuid.uuid4().hex))

    async def read(self, event: type[Any], count: int) -> list[Any]:
        return await read(self.bus, event, count)


@asynccontextmanager
async def stage(server: NatsServer, book: LawBook) -> AsyncIterator[Stage]:
    bus = await Bus.connect(ServiceSettings(nats_url=server.url), "judge")
    await bus.ensure()
    async with serving(law_door(book)) as channel:
        chat = Chat()
        benches = Benches(
            builtin(lexicon()), chat, Path("nowhere"), panel_criteria(), reply_format="none", max_tokens=64
        )
        judging = Judging(benches, PolicyLaw(channel), Turns(await bus.bucket("gyeol-turns")), Thresholds())
        door = JudgeConsumer(judging, SteppedClock())
        consumer = Consumer(bus, "judge", {CandidatesWritten: door.candidates_written}, slots=8)
        running = asyncio.create_task(consumer.run())
        try:
            yield Stage(bus)
        finally:
            consumer.stop()
            await running
            await chat.close()
            await bus.close()


async def test_a_record_becomes_a_triplet_with_everything_it_was_made_from(nats: NatsServer) -> None:  # noqa: F811
    record = written()
    async with stage(nats, LawBook()) as judge:
        await judge.put(record)
        (accepted,) = await judge.read(TripletAccepted, 1)
        (done,) = await judge.read(StageCompleted, 1)
    triplet = accepted.triplet

    assert triplet.chosen == SAFE[triplet.chosen_writer]
    assert triplet.rejected == record.mined.rejected
    assert triplet.record_id == record.seed.id == done.record_id
    assert triplet.seed == record.seed
    assert (triplet.policy_digest, triplet.law_as_of) == (record.policy.digest, "2026-11-30")
    assert [ranked.candidate.citations[0].article for ranked in triplet.candidates] == ["제59조"] * 3
    assert all(ranked.safety >= 4 and ranked.coherence >= 4 for ranked in triplet.candidates)
    assert [verdict.judge for verdict in triplet.verdicts] == ["safety", "grounding", "register"]
    assert all(criterion.met for verdict in triplet.verdicts for criterion in verdict.criteria)
    assert (done.stage, done.stratum, done.calls) == ("judge", record.seed.stratum, 0)
    assert triplet.HasField("accepted_at")


async def test_a_redelivered_record_gives_the_same_triplet(nats: NatsServer) -> None:  # noqa: F811
    record = written(texts=dict.fromkeys(SAFE, SAFE["statute-first"]))
    other = written(2, texts=dict.fromkeys(SAFE, SAFE["statute-first"]))
    async with stage(nats, LawBook()) as judge:
        await judge.put(record)
        (first,) = await judge.read(TripletAccepted, 1)
        await judge.put(other)
        await judge.put(record)
        # The repetition is dropped by the broker, because its message id is the same.
        (second,) = await judge.read(TripletAccepted, 1)
        digests = {done.record_id: done.output_digest for done in await judge.read(StageCompleted, 2)}

    assert first.triplet.chosen_writer == "statute-first"
    assert second.triplet.record_id == other.seed.id
    assert second.triplet.chosen_writer == "procedure-first"
    assert len(digests) == 2


async def test_a_drop_carries_its_reason_and_the_record_as_evidence(nats: NatsServer) -> None:  # noqa: F811
    record = written(texts=dict.fromkeys(SAFE, "죄송하지만 도와드릴 수 없어요."))
    async with stage(nats, LawBook()) as judge:
        await judge.put(record)
        (dropped,) = await judge.read(RecordDropped, 1)
        (done,) = await judge.read(StageCompleted, 1)

    assert dropped.reason == DROP_REASON_NO_CANDIDATE
    assert dropped.stage == "judge"
    assert dropped.stratum == record.seed.stratum
    assert CandidatesWritten.FromString(dropped.evidence) == record
    assert done.record_id == record.seed.id


async def test_a_record_that_lacks_something_ends_as_a_failure_that_names_it(nats: NatsServer) -> None:  # noqa: F811
    record = written()
    record.mined.CopyFrom(MinedPrompt(prompt=record.mined.prompt))
    async with stage(nats, LawBook()) as judge:
        await judge.put(record)
        (failed,) = await judge.read(RecordFailed, 1)

    assert failed.meaning == "INVALID"
    assert "mined.rejected is empty" in failed.detail
    assert failed.record_id == record.seed.id


async def test_a_law_book_that_comes_back_ends_in_a_triplet(nats: NatsServer) -> None:  # noqa: F811
    async with stage(nats, LawBook(failures=1)) as judge:
        await judge.put(written())
        (accepted,) = await judge.read(TripletAccepted, 1)

    assert accepted.triplet.chosen


async def test_many_records_each_end_once_and_writers_share_them(nats: NatsServer) -> None:  # noqa: F811
    same = dict.fromkeys(SAFE, SAFE["statute-first"])
    records = [written(number, texts=same) for number in range(24)]
    async with stage(nats, LawBook()) as judge:
        await judge.put(*records)
        accepted = await judge.read(TripletAccepted, 24)
    writers = [event.triplet.chosen_writer for event in accepted]

    assert {event.triplet.record_id for event in accepted} == {record.seed.id for record in records}
    assert {writers.count(writer) for writer in SAFE} == {8}
