import asyncio
import time
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from gyeol.api.judge.v1.judge_pb2 import CheckRegisterRequest, CheckRegisterResponse
from gyeol.api.judge.v1.judge_pb2_grpc import (
    JudgeServiceServicer,
    JudgeServiceStub,
    add_JudgeServiceServicer_to_server,
)
from gyeol.api.ledger.v1.ledger_pb2 import ExportDatasetRequest
from gyeol.api.ledger.v1.ledger_pb2_grpc import DatasetServiceStub
from gyeol.chassis.errors import GyeolError, InvalidError, Meaning, NotReadyError
from gyeol.chassis.outcomes import TABLE
from gyeol.chassis.rpc import Door, Server, channel

from .servicer import Exporter, export_door, judge_door, serving

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
NAMES = ("gyeol.api.judge.v1.JudgeService", "gyeol.api.ledger.v1.DatasetService")


def raising(error: Exception):  # type: ignore[no-untyped-def]
    async def answer(request: CheckRegisterRequest) -> CheckRegisterResponse:
        raise error

    return answer


async def failure(opened: grpc.aio.Channel, text: str = "", timeout: float | None = 5) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await JudgeServiceStub(opened).CheckRegister(CheckRegisterRequest(text=text), timeout=timeout)
    return caught.value


async def test_a_call_is_answered() -> None:
    async with serving(judge_door()) as (_, opened):
        response = await JudgeServiceStub(opened).CheckRegister(CheckRegisterRequest(text="안녕하세요"))
    assert response.faults[0].text == "안녕하세요"


async def test_reflection_and_health_list_every_service() -> None:
    async with serving(judge_door(), export_door(Exporter(1))) as (_, opened):
        health = health_pb2_grpc.HealthStub(opened)
        for name in ("", *NAMES):
            assert (await health.Check(health_pb2.HealthCheckRequest(service=name))).status == SERVING
        call = reflection_pb2_grpc.ServerReflectionStub(opened).ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        answer = await call.read()
        assert {service.name for service in answer.list_services_response.service} >= {
            *NAMES,
            "grpc.health.v1.Health",
        }
        await call.done_writing()


async def test_health_says_when_calls_are_not_welcome() -> None:
    async with serving(judge_door()) as (server, opened):
        health = health_pb2_grpc.HealthStub(opened)
        for ready, status in ((False, NOT_SERVING), (True, SERVING)):
            await server.serving(ready)
            for name in ("", NAMES[0]):
                assert (await health.Check(health_pb2.HealthCheckRequest(service=name))).status == status
            assert (await health.Check(health_pb2.HealthCheckRequest(service="liveness"))).status == SERVING


@pytest.mark.parametrize("meaning", Meaning)
async def test_every_meaning_gets_its_status(meaning: Meaning) -> None:
    kinds = {kind.meaning: kind for kind in GyeolError.__subclasses__() if kind.__module__ == "gyeol.chassis.errors"}
    async with serving(judge_door(raising(kinds[meaning]("field text: 왜")))) as (_, opened):
        error = await failure(opened)
    assert error.code() is TABLE[meaning].status
    assert error.details() == "field text: 왜"


async def test_a_fault_of_ours_is_internal_and_does_not_quote_the_record() -> None:
    async with serving(judge_door(raising(ValueError("harmful text")))) as (_, opened):
        error = await failure(opened)
    assert (error.code(), error.details()) == (grpc.StatusCode.INTERNAL, "ValueError")


async def test_an_error_of_a_peer_keeps_its_meaning_at_our_door() -> None:
    async with serving(judge_door(raising(InvalidError("field seed: missing")))) as (_, behind):

        async def forward(request: CheckRegisterRequest) -> CheckRegisterResponse:
            return await JudgeServiceStub(behind).CheckRegister(request)

        async with serving(judge_door(forward)) as (_, opened):
            error = await failure(opened)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "field seed: missing" in (error.details() or "")


async def test_a_long_detail_in_korean_does_not_break_the_status() -> None:
    async with serving(judge_door(raising(InvalidError("가나다라" * 3000)))) as (_, opened):
        error = await failure(opened)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (error.details() or "").startswith("가나다라")


async def test_a_deadline_ends_the_call_on_both_sides() -> None:
    cancelled = asyncio.Event()

    async def slow(request: CheckRegisterRequest) -> CheckRegisterResponse:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return CheckRegisterResponse()

    async with serving(judge_door(slow)) as (_, opened):
        started = time.monotonic()
        error = await failure(opened, timeout=0.3)
        await asyncio.wait_for(cancelled.wait(), 2)
    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - started < 3


class Peeking(JudgeServiceServicer):
    """Notes how much time a call has."""

    def __init__(self) -> None:
        self.left: list[float] = []

    async def CheckRegister(self, request: Any, context: Any) -> CheckRegisterResponse:  # noqa: N802
        self.left.append(context.time_remaining())
        return CheckRegisterResponse()


async def test_a_call_without_a_deadline_gets_one() -> None:
    peeking = Peeking()
    async with serving(Door(add_JudgeServiceServicer_to_server, peeking)) as (_, opened):
        await JudgeServiceStub(opened).CheckRegister(CheckRegisterRequest())
        await JudgeServiceStub(opened).CheckRegister(CheckRegisterRequest(), timeout=7)
    assert 290 < peeking.left[0] < 302
    assert 5 < peeking.left[1] < 9


@pytest.mark.parametrize("size", [17, 24])
async def test_a_message_over_sixteen_megabytes_is_refused(size: int) -> None:
    async with serving(judge_door()) as (_, opened):
        error = await failure(opened, text="a" * (size << 20))
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert await JudgeServiceStub(opened).CheckRegister(CheckRegisterRequest(text="a" * (7 << 20)))


async def test_stopping_lets_every_call_finish() -> None:
    """Fifty calls in progress and ten that come while the service says it is leaving: all are answered."""

    async def slow(request: CheckRegisterRequest) -> CheckRegisterResponse:
        await asyncio.sleep(0.8)
        return CheckRegisterResponse()

    server = Server("127.0.0.1", 0, [judge_door(slow)], prestop_seconds=0.4, drain_seconds=5)
    port = await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.enable_retries", 0)]) as opened:
        stub = JudgeServiceStub(opened)
        early = [asyncio.ensure_future(_call(stub)) for _ in range(50)]
        await asyncio.sleep(0.2)
        stopping = asyncio.create_task(server.stop())
        await asyncio.sleep(0.1)
        status = (await health_pb2_grpc.HealthStub(opened).Check(health_pb2.HealthCheckRequest())).status
        late = [asyncio.ensure_future(_call(stub)) for _ in range(10)]
        results = await asyncio.gather(*early, *late, return_exceptions=True)
        await stopping
    assert status == NOT_SERVING
    assert [result for result in results if not isinstance(result, CheckRegisterResponse)] == []


async def _call(stub: JudgeServiceStub) -> CheckRegisterResponse:  # type: ignore[type-arg]
    return await stub.CheckRegister(CheckRegisterRequest(), timeout=10)


async def test_a_stream_that_never_ends_does_not_hold_the_drain() -> None:
    async with serving(export_door(Exporter(3, endless=True)), drain_seconds=30) as (server, opened):
        call = DatasetServiceStub(opened).ExportDataset(ExportDatasetRequest())
        for _ in range(3):
            await call.read()
        started = time.monotonic()
        stopping = asyncio.create_task(server.stop())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
        await stopping
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert time.monotonic() - started < 5


async def test_a_stream_that_makes_progress_is_finished_while_draining() -> None:
    async with serving(export_door(Exporter(10, pause=0.1))) as (server, opened):
        responses = aiter(DatasetServiceStub(opened).ExportDataset(ExportDatasetRequest()))
        await anext(responses)
        stopping = asyncio.create_task(server.stop())
        rest = [response async for response in responses]
        await stopping
    assert len(rest) == 9


async def test_an_error_in_a_stream_gets_its_status() -> None:
    async with serving(export_door(Exporter(2, error=NotReadyError("later")))) as (_, opened):
        call = DatasetServiceStub(opened).ExportDataset(ExportDatasetRequest())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [response async for response in call]
    assert (caught.value.code(), caught.value.details()) == (grpc.StatusCode.UNAVAILABLE, "later")


async def test_two_services_cannot_share_a_port() -> None:
    async with serving(judge_door()) as (server, _):
        with pytest.raises(NotReadyError, match=f"cannot listen on 127.0.0.1:{server.port}: choose another port"):
            await Server("127.0.0.1", server.port, [judge_door()]).start()


async def test_a_peer_that_starts_late_is_reached_without_a_new_channel() -> None:
    first = Server("127.0.0.1", 0, [judge_door()])
    port = await first.start()
    opened = channel(f"127.0.0.1:{port}")
    stub = JudgeServiceStub(opened)
    assert await stub.CheckRegister(CheckRegisterRequest(), timeout=5)
    await first.stop()
    error = await failure(opened)
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    second = Server("127.0.0.1", port, [judge_door()])
    await second.start()
    assert await stub.CheckRegister(CheckRegisterRequest(), timeout=10, wait_for_ready=True)
    await opened.close()
    await second.stop()


async def test_a_call_that_meets_a_service_on_its_way_out_is_repeated() -> None:
    errors = [NotReadyError("leaving"), NotReadyError("leaving")]

    async def answer(request: CheckRegisterRequest) -> CheckRegisterResponse:
        if errors:
            raise errors.pop()
        return CheckRegisterResponse()

    async with serving(judge_door(answer)) as (_, opened):
        assert await JudgeServiceStub(opened).CheckRegister(CheckRegisterRequest(), timeout=5) is not None
    assert errors == []
