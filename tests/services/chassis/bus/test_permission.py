"""One NATS user per service, with the permissions that the chart gives it."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from gyeol.api.seed.v1.seed_pb2 import SeedGenerated
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.errors import DeniedError
from gyeol.chassis.settings import ServiceSettings
from support.nats import NatsServer, nats_server

from .record import completed, eventually, running, seed

USERS = """
authorization {
  users: [
    { user: admin, password: a }
    { user: policy, password: p, permissions: {
        publish: ["gyeol.policy.>", "gyeol.record.>", "gyeol.stage.>", "gyeol.dead.policy",
                  "$JS.API.CONSUMER.CREATE.GYEOL_WORK.policy", "$JS.API.CONSUMER.CREATE.GYEOL_WORK.policy.>",
                  "$JS.API.CONSUMER.MSG.NEXT.GYEOL_WORK.policy", "$JS.API.CONSUMER.INFO.GYEOL_WORK.policy",
                  "$JS.ACK.GYEOL_WORK.policy.>",
                  "$JS.API.STREAM.INFO.KV_gyeol-calls", "$JS.API.DIRECT.GET.KV_gyeol-calls.>", "$KV.gyeol-calls.>"]
        subscribe: ["_INBOX_policy.>"] } }
  ]
}
"""


@pytest_asyncio.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with nats_server(tmp_path, USERS) as server:
        yield server


async def connect(server: NatsServer, user: str, password: str, name: str) -> Bus:
    url = server.url.replace("//", f"//{user}:{password}@")
    return await Bus.connect(ServiceSettings(nats_url=url, nats_ensure=name == "admin"), name, seconds=3.0)


@pytest_asyncio.fixture
async def admin(guarded: NatsServer) -> AsyncIterator[Bus]:
    bus = await connect(guarded, "admin", "a", "admin")
    await bus.ensure()
    yield bus
    await bus.close()


@pytest_asyncio.fixture
async def policy(guarded: NatsServer, admin: Bus) -> AsyncIterator[Bus]:
    bus = await connect(guarded, "policy", "p", "policy")
    yield bus
    await bus.close()


async def echo(event: SeedGenerated) -> Sequence[Publication]:
    return completed(event)


async def test_a_service_needs_no_more_than_its_own_permissions(admin: Bus, policy: Bus) -> None:
    await Consumer(admin, "policy", {SeedGenerated: echo}).ensure()
    await admin.bucket("gyeol-calls")
    async with running(Consumer(policy, "policy", {SeedGenerated: echo}, quiet_seconds=0.2)):
        await admin.publish(seed(1))
        await eventually(lambda: done(admin))
    calls = await policy.bucket("gyeol-calls")
    assert await calls.create("abc", b"1") == b"1"
    assert await calls.get("abc") == b"1"


async def done(bus: Bus) -> bool:
    info = await bus.js.stream_info("GYEOL_WORK", subjects_filter=">")
    return bool(info.state.subjects == {"gyeol.stage.completed": 1})


async def test_publishing_what_one_may_not_is_denied_soon_and_named(policy: Bus) -> None:
    started = time.monotonic()
    with pytest.raises(DeniedError, match=r"the NATS user of policy may not use gyeol\.seed\.generated"):
        await policy.publish(seed(1))
    assert time.monotonic() - started < 10
    event = completed(SeedGenerated())[0]
    assert await policy.publish(event), "what one may publish still works"


async def test_consuming_what_one_may_not_ends_the_consumer(admin: Bus, policy: Bus) -> None:
    await Consumer(admin, "judge", {SeedGenerated: echo}).ensure()
    with pytest.raises(DeniedError, match=r"may not use \$js\.api\.consumer\.msg\.next\.gyeol_work\.judge"):
        await asyncio.wait_for(Consumer(policy, "judge", {SeedGenerated: echo}, quiet_seconds=0.2).run(), 20)


async def test_a_wrong_password_is_denied_and_not_told(guarded: NatsServer) -> None:
    with pytest.raises(DeniedError, match="refuses the user of policy") as caught:
        await connect(guarded, "policy", "wrong-password", "policy")
    assert "wrong-password" not in str(caught.value)
