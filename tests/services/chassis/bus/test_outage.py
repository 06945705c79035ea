"""The broker crashes, restarts, hangs and forgets."""

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from gyeol.api.seed.v1.seed_pb2 import SeedGenerated
from gyeol.chassis.bus import Bus, Consumer, Mover, Publication
from gyeol.chassis.errors import NotReadyError
from gyeol.chassis.settings import ServiceSettings
from support.nats import NatsServer

from .record import collector, completed, eventually, running, seed, waiting


async def test_a_broker_that_is_killed_under_load_loses_nothing(bus: Bus, nats: NatsServer) -> None:
    """Three kills while events are published and consumed; everybody goes on by itself."""
    total = 1500
    done: Counter[str] = Counter()

    async def work(event: SeedGenerated) -> Sequence[Publication]:
        await asyncio.sleep(0.01)
        return completed(event)

    async def produce() -> None:
        for start in range(0, total, 50):
            await bus.publish_all([seed(number) for number in range(start, start + 50)])
            await asyncio.sleep(0.05)

    worker = await Bus.connect(ServiceSettings(nats_url=nats.url), "policy")
    ledger, received = collector(bus)
    async with running(Consumer(worker, "policy", {SeedGenerated: work}, ack_wait=2.0), ledger, Mover(bus)):
        producing = asyncio.create_task(produce())
        for _ in range(3):
            await asyncio.sleep(0.6)
            await nats.kill()
            await asyncio.sleep(0.2)
            await nats.start()
        await producing
        await eventually(lambda: len({event.record_id for event in received}) == total, seconds=60)
        await eventually(lambda: nothing_waits(bus), seconds=20)
    await worker.close()
    done.update(event.record_id for event in received)
    assert set(done) == {f"seed-{number}" for number in range(total)}
    assert await waiting(bus, "GYEOL_DEAD") == 0


async def nothing_waits(bus: Bus) -> bool:
    return await waiting(bus) == 0


async def test_a_producer_waits_for_a_broker_that_is_away_and_sends_the_same_id(bus: Bus, nats: NatsServer) -> None:
    await nats.kill()
    publishing = asyncio.create_task(bus.publish(seed(1)))
    await asyncio.sleep(1)
    assert not publishing.done()
    await nats.start()
    await publishing
    assert await waiting(bus) == 1


async def test_a_producer_gives_up_when_it_was_told_to(bus: Bus, nats: NatsServer) -> None:
    await nats.kill()
    with pytest.raises(NotReadyError, match=r"the broker did not answer on gyeol\.seed\.generated"):
        await bus.publish(seed(1), seconds=1)


async def test_a_service_survives_a_broker_that_hangs(bus: Bus, nats: NatsServer) -> None:
    ledger, received = collector(bus)

    async def echo(event: SeedGenerated) -> Sequence[Publication]:
        return completed(event)

    consumer = Consumer(bus, "policy", {SeedGenerated: echo}, quiet_seconds=1)
    async with running(consumer, ledger):
        await bus.publish(seed(1))
        await eventually(lambda: len(received) == 1)
        nats.freeze()
        heard = consumer.last_fetch
        await asyncio.sleep(2.5)
        assert consumer.last_fetch <= heard + 1.5, "a broker that hangs is not heard from"
        nats.thaw()
        await bus.publish(seed(2))
        await eventually(lambda: len(received) == 2)
        await eventually(lambda: time.monotonic() - consumer.last_fetch < 1)


async def test_a_broker_that_lost_its_store_gets_streams_and_durables_again(
    bus: Bus, nats: NatsServer, tmp_path: Path
) -> None:
    ledger, received = collector(bus)

    async def echo(event: SeedGenerated) -> Sequence[Publication]:
        return completed(event)

    async with running(Consumer(bus, "policy", {SeedGenerated: echo}, quiet_seconds=0.5), ledger, Mover(bus)):
        await bus.publish(seed(1))
        await eventually(lambda: len(received) == 1)
        await nats.kill()
        shutil.rmtree(tmp_path / "nats" / "store")
        await nats.start()
        await bus.publish(seed(2))
        await eventually(lambda: len(received) == 2, seconds=40)


async def test_reconnecting_never_ends(bus: Bus) -> None:
    assert bus.nc.options["max_reconnect_attempts"] == -1


async def test_a_broker_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotReadyError, match=r"no NATS server answered at nats://127.0.0.1:1 within 1 s: start it"):
        await Bus.connect(ServiceSettings(nats_url="nats://127.0.0.1:1"), "seed", seconds=1)


async def test_a_connection_that_is_closed_for_good_is_noticed(bus: Bus) -> None:
    await bus.nc.close()
    await asyncio.wait_for(bus.closed.wait(), 2)
    with pytest.raises(NotReadyError):
        await bus.publish(seed(1), seconds=1)
