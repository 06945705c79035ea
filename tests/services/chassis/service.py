"""A service made of nothing but the chassis: tests start it as a process.

It turns requests for seeds into seeds, asks its own gRPC door on the way, and does what the text of a request says.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

from pydantic_settings import SettingsConfigDict

from gyeol.api.judge.v1.judge_pb2 import CheckRegisterRequest, CheckRegisterResponse
from gyeol.api.judge.v1.judge_pb2_grpc import (
    JudgeServiceServicer,
    JudgeServiceStub,
    add_JudgeServiceServicer_to_server,
)
from gyeol.api.ledger.v1.ledger_pb2 import ExportDatasetResponse
from gyeol.api.ledger.v1.ledger_pb2_grpc import DatasetServiceServicer, add_DatasetServiceServicer_to_server
from gyeol.api.seed.v1.seed_pb2 import Seed, SeedGenerated, SeedsRequested
from gyeol.chassis import logs
from gyeol.chassis.bus import Consumer, Publication
from gyeol.chassis.errors import InvalidError
from gyeol.chassis.rpc import Door
from gyeol.chassis.run import Doors, Parts, Worker, serve
from gyeol.chassis.settings import ServiceSettings


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="SEED_")

    judge_address: str = ""
    """Where to ask on the way; empty: nowhere."""
    consume: bool = True
    """Consume requests for seeds."""
    ack_wait: float = 30.0
    """Seconds after which the broker gives a record to somebody else."""
    refuse: bool = False
    """Refuse to be put together."""
    collapse: bool = False
    """End the worker without being told to."""


class Judge(JudgeServiceServicer):
    async def CheckRegister(self, request: CheckRegisterRequest, context: Any) -> CheckRegisterResponse:  # noqa: N802
        await asyncio.sleep(float(request.text or 0))
        return CheckRegisterResponse()


class Datasets(DatasetServiceServicer):
    async def ExportDataset(self, request: Any, context: Any) -> AsyncIterator[ExportDatasetResponse]:  # noqa: N802
        yield ExportDatasetResponse()
        await asyncio.sleep(3600)


class Collapsing:
    async def run(self) -> None:
        await asyncio.sleep(0.1)

    def stop(self) -> None: ...


async def compose(settings: Settings, parts: Parts) -> Doors:
    if settings.refuse:
        raise InvalidError("models file a.yaml: models[0].name is missing: add it")
    judge: Any = JudgeServiceStub(parts.channel(settings.judge_address)) if settings.judge_address else None

    async def requested(event: SeedsRequested) -> Sequence[Publication]:
        logs.get().info("seeds_requested", stratum=event.stratum)
        if judge is not None:
            await judge.CheckRegister(CheckRegisterRequest(text="0"), timeout=5)
        await asyncio.sleep(event.count / 10)
        seed = Seed(id=f"seed-{event.offset}", stratum=event.stratum)
        return [Publication(SeedGenerated(run=event.run, seed=seed), event.run.run_id, seed.id, stratum=seed.stratum)]

    workers: list[Worker] = []
    if settings.consume:
        events = {SeedsRequested: requested}
        workers.append(Consumer(parts.bus, parts.name, events, slots=settings.slots, ack_wait=settings.ack_wait))
    if settings.collapse:
        workers.append(Collapsing())
    doors = [
        Door(add_JudgeServiceServicer_to_server, Judge()),
        Door(add_DatasetServiceServicer_to_server, Datasets()),
    ]
    return Doors(doors, workers)


if __name__ == "__main__":
    serve(sys.argv[1], Settings, compose, broker=sys.argv[2] == "broker")
