import asyncio
from collections.abc import Sequence

import pytest

from gyeol.api.seed.v1.seed_pb2 import SeedGenerated
from gyeol.chassis.bus import Bus, Consumer, Mover, Publication

from .record import dead_letters, eventually, running, seed, waiting


async def never(event: SeedGenerated) -> Sequence[Publication]:
    return []


async def exhaust(bus: Bus, *records: Publication) -> None:
    """Delivers records twice to a worker that crashes each time, which is as often as the broker may."""
    await Consumer(bus, "policy", {SeedGenerated: never}, ack_wait=0.2, max_deliver=2).ensure()
    await bus.publish_all(records)
    crashing = await bus.js.pull_subscribe_bind("policy", stream="GYEOL_WORK")
    for _ in range(2):
        assert len(await crashing.fetch(len(records), timeout=2)) == len(records)
        await asyncio.sleep(0.3)
    with pytest.raises(TimeoutError):
        await crashing.fetch(1, timeout=0.1)


async def dead_count(bus: Bus, count: int) -> bool:
    return await waiting(bus, "GYEOL_DEAD") == count


async def test_a_record_that_crashes_its_worker_becomes_a_dead_letter(bus: Bus) -> None:
    async with running(Mover(bus)):
        await exhaust(bus, seed(1), seed(2))
        await eventually(lambda: dead_count(bus, 2))
        await eventually(lambda: empty(bus))
    letters = await dead_letters(bus)
    assert {letter.record_id for _, letter in letters} == {"seed-1", "seed-2"}
    subject, letter = letters[0]
    assert subject == "gyeol.dead.policy"
    assert (letter.run_id, letter.stratum, letter.meaning, letter.deliveries) == ("run-1", "I/G", "INTERNAL", 2)
    assert SeedGenerated.FromString(letter.payload).seed.id == letter.record_id


async def empty(bus: Bus) -> bool:
    return await waiting(bus) == 0


async def test_what_happened_while_the_mover_was_away_is_moved_later(bus: Bus) -> None:
    await exhaust(bus, seed(1))
    await eventually(lambda: noted(bus, 1))
    async with running(Mover(bus)):
        await eventually(lambda: dead_count(bus, 1))
    assert await waiting(bus) == 0


async def noted(bus: Bus, count: int) -> bool:
    return await waiting(bus, "GYEOL_ADVISORY") == count


async def test_a_record_whose_advisory_was_lost_is_found(bus: Bus) -> None:
    await exhaust(bus, seed(1), seed(2), seed(3))
    await eventually(lambda: noted(bus, 3))
    await bus.js.purge_stream("GYEOL_ADVISORY")
    await bus.publish(seed(4))
    async with running(Mover(bus, sweep_seconds=0.1)):
        await eventually(lambda: dead_count(bus, 3))
    assert await waiting(bus) == 1, "a record that waits for its worker is left alone"


async def test_records_in_work_or_waiting_to_come_back_are_not_moved(bus: Bus) -> None:
    await Consumer(bus, "policy", {SeedGenerated: never}, ack_wait=30).ensure()
    await bus.publish_all([seed(1), seed(2), seed(3)])
    worker = await bus.js.pull_subscribe_bind("policy", stream="GYEOL_WORK")
    first, second, third = await worker.fetch(3, timeout=2)
    await first.nak(delay=30)
    await third.ack()
    async with running(Mover(bus, sweep_seconds=0.05)):
        await asyncio.sleep(1.5)
    assert await waiting(bus, "GYEOL_DEAD") == 0
    assert await waiting(bus) == 2
    await second.ack()


async def test_a_record_that_is_gone_already_is_no_trouble(bus: Bus) -> None:
    await exhaust(bus, seed(1), seed(2))
    await eventually(lambda: noted(bus, 2))
    await bus.js.delete_msg("GYEOL_WORK", 1)
    async with running(Mover(bus)):
        await eventually(lambda: dead_count(bus, 1))
        await eventually(lambda: noted(bus, 0))
