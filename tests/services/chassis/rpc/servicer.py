"""A judge service that does what a test tells it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc.aio

from gyeol.api.judge.v1 import judge_pb2_grpc
from gyeol.api.judge.v1.judge_pb2 import CheckRegisterRequest, CheckRegisterResponse, RegisterFault
from gyeol.api.ledger.v1 import ledger_pb2_grpc
from gyeol.api.ledger.v1.ledger_pb2 import ExportDatasetResponse
from gyeol.chassis.rpc import Door, Server, channel

Answer = Callable[[CheckRegisterRequest], Awaitable[CheckRegisterResponse]]


class Judge(judge_pb2_grpc.JudgeServiceServicer):
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def CheckRegister(self, request: CheckRegisterRequest, context: Any) -> CheckRegisterResponse:
        return await self._answer(request)


class Exporter(ledger_pb2_grpc.DatasetServiceServicer):
    """Streams so many messages, then waits for ever, ends, or fails."""

    def __init__(
        self, count: int, pause: float = 0.0, error: Exception | None = None, *, endless: bool = False
    ) -> None:
        self.count, self.pause, self.error, self.endless = count, pause, error, endless

    async def ExportDataset(self, request: Any, context: Any) -> AsyncIterator[ExportDatasetResponse]:
        for _ in range(self.count):
            await asyncio.sleep(self.pause)
            yield ExportDatasetResponse()
        if self.error is not None:
            raise self.error
        if self.endless:
            await asyncio.sleep(3600)


async def faultless(request: CheckRegisterRequest) -> CheckRegisterResponse:
    return CheckRegisterResponse(faults=[RegisterFault(text=request.text)])


def judge_door(answer: Answer = faultless) -> Door:
    return Door(judge_pb2_grpc.add_JudgeServiceServicer_to_server, Judge(answer))


def export_door(exporter: Exporter) -> Door:
    return Door(ledger_pb2_grpc.add_DatasetServiceServicer_to_server, exporter)


@contextlib.asynccontextmanager
async def serving(*doors: Door, drain_seconds: float = 5.0) -> AsyncIterator[tuple[Server, grpc.aio.Channel]]:
    """A started server and a channel to it."""
    server = Server("127.0.0.1", 0, doors, drain_seconds=drain_seconds)
    port = await server.start()
    opened = channel(f"127.0.0.1:{port}")
    try:
        yield server, opened
    finally:
        await opened.close()
        await server.stop()
