"""Both doors of the candidate service, over a real broker and a real channel."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten, WriteCandidatesRequest
from gyeol.api.candidate.v1.candidate_pb2_grpc import CandidateServiceStub, add_CandidateServiceServicer_to_server
from gyeol.api.failure.v1.failure_pb2 import RecordDropped, RecordFailed
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.candidate.consumer import CandidateConsumer
from gyeol.candidate.servicer import CandidateServicer
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.rpc import Door
from gyeol.chassis.settings import ServiceSettings
from support.judging import UNSAFE, serving
from support.nats import NatsServer, nats  # noqa: F401
from support.reading import read
from support.stage import Stage, staged


@asynccontextmanager
async def consuming(stage: Stage, server: NatsServer) -> AsyncIterator[Bus]:
    """A candidate consumer at work."""
    bus = await Bus.connect(ServiceSettings(nats_url=server.url), "candidate")
    await bus.ensure()
    door = CandidateConsumer(stage.desk)
    consumer = Consumer(bus, "candidate", {PolicyRendered: door.policy_rendered}, slots=8)
    running = asyncio.create_task(consumer.run())
    try:
        yield bus
    finally:
        consumer.stop()
        await running
        await bus.close()


async def put(bus: Bus, *records: WriteCandidatesRequest) -> None:
    for record in records:
        event = PolicyRendered(run=record.run, seed=record.seed, policy=record.policy)
        await bus.publish(Publication(event, record.run.run_id, record.seed.id, id=uuid.uuid4().hex))


async def test_a_rendered_policy_becomes_candidates(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811
    async with staged(tmp_path) as stage, consuming(stage, nats) as bus:
        stage.stub.answer("target", UNSAFE)
        record = stage.record()
        await put(bus, record)
        (written,) = await read(bus, CandidatesWritten, 1)
        (done,) = await read(bus, StageCompleted, 1)

    assert written.seed == record.seed
    assert written.mined.rejected == UNSAFE
    assert len(written.candidates) == 3
    assert (done.stage, done.record_id, done.stratum) == ("candidate", record.seed.id, record.seed.stratum)
    assert (done.calls, done.cached_calls) == (1, 0)
    assert len(done.output_digest) == 64


async def test_what_is_not_mined_is_dropped_with_its_stratum(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811
    async with staged(tmp_path) as stage, consuming(stage, nats) as bus:
        stage.stub.answer("target", "그건 도와드릴 수 없어요.")
        record = stage.record()
        await put(bus, record)
        (dropped,) = await read(bus, RecordDropped, 1)
        (done,) = await read(bus, StageCompleted, 1)

    assert (dropped.stage, dropped.stratum) == ("candidate", record.seed.stratum)
    assert done.calls == 5


async def test_a_record_that_cannot_be_worked_on_ends_as_a_failure(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811
    async with staged(tmp_path) as stage, consuming(stage, nats) as bus:
        record = stage.record(writers=["poet"])
        await put(bus, record)
        (failed,) = await read(bus, RecordFailed, 1)

    assert (failed.stage, failed.meaning, failed.record_id) == ("candidate", "INVALID", record.seed.id)
    assert "'poet'" in failed.detail
    assert record.seed.text not in failed.detail


async def test_a_redelivered_record_is_not_paid_twice(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811
    async with staged(tmp_path) as stage, consuming(stage, nats) as bus:
        stage.stub.answer("target", UNSAFE)
        record = stage.record()
        await put(bus, record)
        await read(bus, CandidatesWritten, 1)
        await put(bus, record, stage.record(number=2))
        (other,) = await read(bus, CandidatesWritten, 1)

    assert other.seed.id != record.seed.id
    assert stage.stub.requests["target"] == 2


async def test_candidates_can_be_written_without_publishing_them(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        door = Door(add_CandidateServiceServicer_to_server, CandidateServicer(stage.desk))
        async with serving(door) as channel:
            stub = CandidateServiceStub(channel)
            stage.stub.answer("target", UNSAFE)
            written = await stub.WriteCandidates(stage.record())
            stage.stub.answer("target", "그건 도와드릴 수 없어요.")
            dropped = await stub.WriteCandidates(stage.record(number=2))

    assert len(written.written.candidates) == 3
    assert dropped.dropped.detail == "5 attempts: 5 refused"


async def test_a_wrong_request_is_an_invalid_argument_that_names_the_field(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        door = Door(add_CandidateServiceServicer_to_server, CandidateServicer(stage.desk))
        async with serving(door) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await CandidateServiceStub(channel).WriteCandidates(WriteCandidatesRequest())

    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "run.run_id is empty" in (error.value.details() or "")
