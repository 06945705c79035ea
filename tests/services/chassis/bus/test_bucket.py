import asyncio
import hashlib
import shutil
from pathlib import Path

import pytest

from gyeol.chassis.bus import Bus
from gyeol.chassis.errors import InvalidError, NotReadyError
from gyeol.chassis.settings import ServiceSettings
from gyeol.chassis.store import KeyValue, Memory
from support.nats import NatsServer


@pytest.mark.parametrize("kind", ["memory", "bucket"])
async def test_the_first_writer_wins(bus: Bus, kind: str) -> None:
    store: KeyValue = Memory() if kind == "memory" else await bus.bucket("gyeol-calls")
    key = hashlib.sha256(b"question").hexdigest()
    assert await store.get(key) is None
    assert await store.create(key, b"first") == b"first"
    assert await store.create(key, b"second") == b"first"
    assert await store.get(key) == b"first"


async def test_of_many_writers_at_once_one_wins_and_all_agree(bus: Bus) -> None:
    store = await bus.bucket("gyeol-calls")
    seen = await asyncio.gather(*(store.create("key", f"{number}".encode()) for number in range(20)))
    assert len(set(seen)) == 1


async def test_values_outlive_the_connection_and_the_broker(bus: Bus, nats: NatsServer) -> None:
    await (await bus.bucket("gyeol-calls")).create("key", b"value")
    await nats.kill()
    await nats.start()
    other = await Bus.connect(ServiceSettings(nats_url=nats.url), "judge")
    assert await (await other.bucket("gyeol-calls")).get("key") == b"value"
    await other.close()


async def test_a_bucket_that_the_broker_lost_is_made_again(bus: Bus, nats: NatsServer, tmp_path: Path) -> None:
    store = await bus.bucket("gyeol-calls")
    await store.create("key", b"value")
    await nats.kill()
    shutil.rmtree(tmp_path / "nats" / "store")
    await nats.start()
    await bus.flush()
    assert await store.get("key") is None
    assert await store.create("key", b"again") == b"again"


@pytest.mark.parametrize("key", ["", ".a", "a.", "a b", "a:b", "가", "a*", "a>"])
async def test_a_key_that_the_broker_does_not_know_is_refused(bus: Bus, key: str) -> None:
    store = await bus.bucket("gyeol-calls")
    with pytest.raises(InvalidError, match="use letters, digits"):
        await store.create(key, b"")
    with pytest.raises(InvalidError, match="use letters, digits"):
        await store.get(key)


async def test_a_value_that_is_too_large_is_refused(bus: Bus) -> None:
    store = await bus.bucket("gyeol-calls")
    with pytest.raises(InvalidError, match="at most 524288; keep it elsewhere"):
        await store.create("key", b"a" * (512 * 1024 + 1))


async def test_a_broker_that_is_away_is_not_ready(bus: Bus, nats: NatsServer) -> None:
    store = await bus.bucket("gyeol-calls")
    await nats.kill()
    with pytest.raises(NotReadyError, match="the store did not answer"):
        await store.get("key")


async def test_a_bucket_that_may_not_be_made_is_named(bus: Bus, nats: NatsServer) -> None:
    other = await Bus.connect(ServiceSettings(nats_url=nats.url, nats_ensure=False), "judge")
    with pytest.raises(NotReadyError, match="bucket absent does not exist"):
        await other.bucket("absent")
    await other.close()
