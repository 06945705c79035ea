"""Secrets of an installation: made once, kept for ever, and good for exactly one service each."""

from __future__ import annotations

import ast
import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated, SeedsRequested
from gyeol.chassis.bus import Bus, Consumer, Mover, Publication, subject_of
from gyeol.chassis.errors import DeniedError, InvalidError
from gyeol.chassis.settings import ServiceSettings
from gyeol.cluster import credential
from gyeol.cluster.client import Cluster
from gyeol.cluster.permission import TRAFFIC
from support.kube.server import ApiServer, api_server
from support.nats import NatsServer, nats_server

ROOT = Path(__file__).parents[3]
INPUT = {
    "seed": SeedsRequested,
    "policy": SeedGenerated,
    "candidate": PolicyRendered,
    "judge": CandidatesWritten,
    "ledger": StageCompleted,
}


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """A broker that knows the users and nobody else; their seeds lie in `tmp_path`."""
    content = credential.nats_users({})
    for name, value in content.items():
        (tmp_path / name).write_bytes(value)
    async with nats_server(tmp_path, f'include "../{credential.USERS}"') as started:
        yield started


@contextlib.asynccontextmanager
async def user(server: NatsServer, folder: Path, name: str) -> AsyncIterator[Bus]:
    settings = ServiceSettings(
        nats_url=server.url, nats_credentials=folder / f"{name}.nk", nats_ensure=name != "cluster"
    )
    bus = await Bus.connect(settings, name, seconds=10)
    try:
        await bus.ensure()
        yield bus
    finally:
        await bus.close()


@contextlib.asynccontextmanager
async def working(*workers: Any) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        await asyncio.wait_for(asyncio.gather(*tasks), 20)


def publication(event: Any, name: str, number: int = 1) -> Publication:
    return Publication(event, "run-1", f"{name}-{number}")


@pytest.mark.parametrize("name", sorted(INPUT))
async def test_each_user_can_do_all_the_work_of_its_service(server: NatsServer, tmp_path: Path, name: str) -> None:
    """First on an empty broker, so that it also makes its streams, durable and buckets."""
    seen = asyncio.Event()

    async def handle(event: Any) -> Sequence[Publication]:
        seen.set()
        return [publication(made(), name) for made in TRAFFIC[name].makes]

    source = next((who for who, traffic in TRAFFIC.items() if INPUT[name] in traffic.makes and who != name))
    async with user(server, tmp_path, name) as bus, user(server, tmp_path, source) as before:
        workers: list[Any] = [Consumer(bus, name, {INPUT[name]: handle})]
        if name == "ledger":
            workers += [Consumer(bus, name, {RecordFailed: handle}), Mover(bus, sweep_seconds=0.1)]
        for bucket in TRAFFIC[name].buckets:
            opened = await bus.bucket(bucket)
            assert await opened.create("abc", b"1") == b"1"
            assert await opened.create("abc", b"2") == b"1"
        async with working(*workers):
            await before.publish(publication(INPUT[name](), source))
            await asyncio.wait_for(seen.wait(), 15)
            await bus.publish(Publication(RecordFailed(stage=name), "run-1", "bad"))
            await asyncio.sleep(0.3 if name == "ledger" else 0)
        refused = [subject for subject in ("$JS", "gyeol") if bus.denied(subject) is not None]
        assert refused == [], server.log[-2000:]


@pytest.mark.parametrize("name", sorted(TRAFFIC))
async def test_no_user_can_do_the_work_of_another(server: NatsServer, tmp_path: Path, name: str) -> None:
    async with user(server, tmp_path, "ledger"), user(server, tmp_path, name) as bus:
        mine = {subject_of(event) for event in TRAFFIC[name].makes}
        foreign = [event for traffic in TRAFFIC.values() for event in traffic.makes if subject_of(event) not in mine]
        for event in dict.fromkeys(foreign):
            await refused(bus, subject_of(event))
        await refused(bus, "$JS.API.STREAM.DELETE.GYEOL_WORK")
        await refused(bus, "$JS.API.STREAM.PURGE.GYEOL_WORK")
        other = "judge" if name != "judge" else "policy"
        await refused(bus, f"$JS.API.CONSUMER.CREATE.GYEOL_WORK.{other}")
        await refused(bus, f"$JS.API.CONSUMER.MSG.NEXT.GYEOL_WORK.{other}")
        if "gyeol-turns" not in TRAFFIC[name].buckets:
            await refused(bus, "$KV.gyeol-turns.abc")
        if name != "ledger":
            await refused(bus, "$JS.API.STREAM.UPDATE.GYEOL_WORK")


async def refused(bus: Bus, subject: str) -> None:
    await bus.nc.publish(subject, b"{}")
    for _ in range(100):
        if bus.denied(subject) is not None:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{bus.name} may use {subject}")


async def test_nobody_can_listen_to_what_others_send(server: NatsServer, tmp_path: Path) -> None:
    async with user(server, tmp_path, "judge") as bus:
        await bus.nc.subscribe("gyeol.>")
        await bus.nc.subscribe("_INBOX_ledger.>")
        await bus.nc.flush()
        for _ in range(100):
            if server.log.count("Permissions Violation") >= 2 or server.log.count("Subscription Violation") >= 2:
                return
            await asyncio.sleep(0.02)
        raise AssertionError(server.log[-1000:])


async def test_without_a_seed_nobody_comes_in(server: NatsServer) -> None:
    with pytest.raises(DeniedError):
        await Bus.connect(ServiceSettings(nats_url=server.url), "seed", seconds=3)


@pytest.mark.parametrize("name", sorted(INPUT))
def test_every_event_that_a_service_makes_is_one_it_may_publish(name: str) -> None:
    events = {event.__name__ for traffic in TRAFFIC.values() for event in traffic.makes}
    found = {
        node.func.id
        for path in (ROOT / "services" / name / "src").rglob("*.py")
        if path.name in ("consumer.py", "service.py") or "convert" in str(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in events
    }
    inputs = {"PolicyRendered", "RecordDropped"} if name in ("candidate", "ledger") else set()
    assert found - inputs <= {event.__name__ for event in TRAFFIC[name].makes}


def test_a_known_seed_is_kept_and_a_missing_one_is_added() -> None:
    first = credential.nats_users({})
    assert credential.nats_users(first) == first
    added = credential.nats_users({key: value for key, value in first.items() if key != "judge.nk"})
    assert {key for key in first if first[key] != added[key]} == {"judge.nk", credential.USERS}


def test_a_seed_that_is_none_is_named() -> None:
    with pytest.raises(InvalidError, match=r"judge\.nk is not the seed of an nkey"):
        credential.nats_users({"judge.nk": b"SUNNY"})


def test_the_first_token_opens_the_gateway(tmp_path: Path) -> None:
    from gyeol.gateway.auth.principal import Role
    from gyeol.gateway.auth.session import session_key
    from gyeol.gateway.auth.token import Tokens

    content = credential.gateway_access({})
    for name, value in content.items():
        (tmp_path / name).write_bytes(value)
    assert Tokens(tmp_path / credential.TOKENS).principal(content[credential.TOKEN].decode()).role is Role.ADMIN
    assert len(session_key(tmp_path / credential.SESSION_KEY)) >= 32
    assert credential.gateway_access(content) == {key: content[key] for key in content if key != credential.TOKEN}


@pytest_asyncio.fixture
async def api() -> AsyncIterator[tuple[ApiServer, Cluster]]:
    async with api_server() as server, ApiClient(Configuration(host=server.url)) as client:
        yield server, Cluster(client)


async def test_a_secret_is_made_once_and_then_left_alone(api: tuple[ApiServer, Cluster]) -> None:
    _, cluster = api
    assert await credential.provide(cluster, "default", "gyeol-nats-users", credential.nats_users)
    first = await cluster.get(credential.SECRET, "default", "gyeol-nats-users")
    assert not await credential.provide(cluster, "default", "gyeol-nats-users", credential.nats_users)
    assert await cluster.get(credential.SECRET, "default", "gyeol-nats-users") == first
    assert yaml.safe_load(base64.b64decode(first["data"]["judge.nk"])).startswith("SU")


async def test_what_a_secret_lacks_is_added_and_nothing_else_changes(api: tuple[ApiServer, Cluster]) -> None:
    _, cluster = api
    tokens = base64.b64encode(b"tokens: []\n").decode()
    value = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "own", "namespace": "default"}}
    await cluster.create(credential.SECRET, {**value, "data": {credential.TOKENS: tokens}})
    assert await credential.provide(cluster, "default", "own", credential.gateway_access)
    data = (await cluster.get(credential.SECRET, "default", "own"))["data"]
    assert data[credential.TOKENS] == tokens
    assert set(data) == {credential.TOKENS, credential.SESSION_KEY}
