"""A gateway before a real ledger and a real policy service, reached over real HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from google.protobuf.message import Message

from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.ledger.v1.ledger_pb2_grpc import ArtifactServiceStub, DatasetServiceStub, RunServiceStub
from gyeol.api.policy.v1.pack_pb2_grpc import add_PackServiceServicer_to_server
from gyeol.api.policy.v1.policy_pb2_grpc import add_PolicyServiceServicer_to_server
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.rpc import Door, Server, channel
from gyeol.gateway.app import application
from gyeol.gateway.auth.gate import gate
from gyeol.gateway.auth.principal import role_of
from gyeol.gateway.auth.token import made
from gyeol.gateway.door import Gateway
from gyeol.gateway.guard.origin import Origins
from gyeol.gateway.guard.rate import Rates
from gyeol.gateway.http import HttpServer
from gyeol.gateway.peer.health import Peers
from gyeol.gateway.peer.ledger import LedgerPeer
from gyeol.gateway.peer.policy import PolicyPeer
from gyeol.gateway.settings import Settings
from gyeol.ledger.__main__ import servicers
from gyeol.ledger.consumer import LedgerConsumer
from gyeol.ledger.service.journal import Journal
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.journal import SqlBooks
from gyeol.ledger.store.migration import migrate
from gyeol.policy.service import Policies
from gyeol.policy.servicer import PackServicer, PolicyServicer
from gyeol.policy.store.folder import read_cultures
from support.browser import browser  # noqa: F401
from support.nats import nats  # noqa: F401

CULTURES = Path(__file__).parents[3] / "cultures"


@pytest.fixture(scope="session")
def policies() -> Policies:
    return Policies(read_cultures(CULTURES), SystemClock())


class House:
    """The services behind the gateway, and gateways in front of them."""

    def __init__(self, folder: Path, database: Database, ledger: Any, policy: Any) -> None:
        self.folder = folder
        self._ledger = ledger
        self._policy = policy
        self._consumer = LedgerConsumer(Journal(SqlBooks(database)))
        self.runs = RunServiceStub(ledger)
        self.datasets = DatasetServiceStub(ledger)
        self.artifacts = ArtifactServiceStub(ledger)

    async def start_run(self, run: str = "run-1", spec: str = "{}", status: str = "{}") -> None:
        await self.runs.CreateRun(pb.CreateRunRequest(id=run, name=f"name-of-{run}", spec_json=spec))
        await self.runs.UpdateRunStatus(pb.UpdateRunStatusRequest(id=run, status_json=status))

    async def hear(self, *events: Message) -> None:
        """Stores events as the ledger's JetStream door does."""
        handlers = {StageCompleted: self._consumer.stage_completed, TripletAccepted: self._consumer.triplet_accepted}
        await asyncio.gather(
            *(handlers.get(type(event), self._consumer.record_dropped)(event) for event in events)  # type: ignore[arg-type]
        )

    async def seal(self, run: str = "run-1") -> None:
        await self.datasets.SealDataset(pb.SealDatasetRequest(run_id=run, destination=str(self.folder / run)))

    @contextlib.asynccontextmanager
    async def gateway(self, *, ledger: Any = None, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
        """A gateway with these settings, and a client that keeps cookies and follows nothing."""
        chosen = Settings(http_port=0, **settings)
        held = Gateway(
            ledger=LedgerPeer(ledger or self._ledger),
            policy=PolicyPeer(self._policy),
            peers=Peers({"ledger": ledger or self._ledger, "policy": self._policy}),
            gate=gate(chosen, SystemClock()),
            rates=Rates(chosen.requests_per_minute, chosen.sign_ins_per_minute),
            origins=Origins(chosen.hosts),
            cultures=chosen.cultures,
        )
        app = application(held, body_bytes=chosen.body_kilobytes * 1024)
        server = HttpServer(app, "127.0.0.1", 0, forwarded_allow_ips="127.0.0.1", drain_seconds=1)
        running = asyncio.create_task(server.run())
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=30) as client:
            yield client
        server.stop()
        await running


@pytest_asyncio.fixture
async def house(tmp_path: Path, policies: Policies) -> AsyncIterator[House]:
    database = Database(f"sqlite:///{tmp_path / 'ledger.db'}")
    await migrate(database)
    ledger = Server("127.0.0.1", 0, servicers(database, SystemClock()), drain_seconds=1)
    policy = Server(
        "127.0.0.1",
        0,
        [
            Door(add_PackServiceServicer_to_server, PackServicer(policies)),
            Door(add_PolicyServiceServicer_to_server, PolicyServicer(policies)),
        ],
        drain_seconds=1,
    )
    ledger_port, policy_port = await ledger.start(), await policy.start()
    async with channel(f"127.0.0.1:{ledger_port}") as to_ledger, channel(f"127.0.0.1:{policy_port}") as to_policy:
        yield House(tmp_path, database, to_ledger, to_policy)
    await asyncio.gather(ledger.stop(), policy.stop())
    await database.close()


@pytest.fixture
def tokens(tmp_path: Path) -> Callable[..., tuple[Path, dict[str, str]]]:
    """Makes a file of API tokens, one for each role named; returns it with the tokens by role."""

    def make(*roles: str) -> tuple[Path, dict[str, str]]:
        file = tmp_path / "tokens.yaml"
        lines, secrets = ["tokens:"], {}
        for word in roles:
            role = role_of(word)
            assert role is not None
            secrets[word], entry = made(f"the-{word}", role)
            lines.append(f"- {{name: {entry.name}, role: {word}, hash: '{entry.hash}'}}")
        file.write_text("\n".join(lines))
        return file, secrets

    return make
