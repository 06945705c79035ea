"""Each test of the store and above runs on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc.aio
import pytest
import pytest_asyncio
from google.protobuf.message import Message

from gyeol.api.failure.v1.failure_pb2 import RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.ledger.v1.ledger_pb2 import CreateRunRequest
from gyeol.api.ledger.v1.ledger_pb2_grpc import (
    ArtifactServiceStub,
    BudgetServiceStub,
    DatasetServiceStub,
    RecordServiceStub,
    RunServiceStub,
)
from gyeol.api.lineage.v1.lineage_pb2_grpc import LineageServiceStub
from gyeol.chassis.rpc import Server, channel
from gyeol.ledger.__main__ import servicers
from gyeol.ledger.consumer import LedgerConsumer
from gyeol.ledger.service.journal import Journal
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.journal import SqlBooks
from gyeol.ledger.store.migration import migrate
from support.clock import SteppedClock
from support.nats import nats  # noqa: F401
from support.postgres import PostgresServer, postgres  # noqa: F401


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs_postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.database()


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A migrated database of each kind."""
    opened = Database(database_url)
    await migrate(opened)
    yield opened
    await opened.close()


class Ledger:
    """A ledger as its peers see it: a real channel to real servicers on a real database."""

    def __init__(self, database: Database, channel: grpc.aio.Channel, clock: SteppedClock) -> None:
        self.database = database
        self.clock = clock
        self.journal = Journal(SqlBooks(database))
        self.consumer = LedgerConsumer(self.journal)
        self.runs = RunServiceStub(channel)
        self.records = RecordServiceStub(channel)
        self.budgets = BudgetServiceStub(channel)
        self.datasets = DatasetServiceStub(channel)
        self.artifacts = ArtifactServiceStub(channel)
        self.lineage = LineageServiceStub(channel)

    async def start_run(self, run: str = "run-1", spec: str = "{}") -> None:
        await self.runs.CreateRun(CreateRunRequest(id=run, name=f"name-of-{run}", spec_json=spec))

    async def hear(self, *events: Message) -> None:
        """Stores events as the JetStream door does."""
        handlers = {
            StageCompleted: self.consumer.stage_completed,
            TripletAccepted: self.consumer.triplet_accepted,
            RecordDropped: self.consumer.record_dropped,
            RecordFailed: self.consumer.record_failed,
        }
        await asyncio.gather(*(handlers[type(event)](event) for event in events))


@pytest_asyncio.fixture
async def ledger(database: Database) -> AsyncIterator[Ledger]:
    clock = SteppedClock()
    server = Server("127.0.0.1", 0, servicers(database, clock), drain_seconds=1)
    port = await server.start()
    async with channel(f"127.0.0.1:{port}") as opened:
        yield Ledger(database, opened, clock)
    await server.stop()
