import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from nats.js.api import AckPolicy, ConsumerConfig

from gyeol.api.failure.v1.failure_pb2 import RecordDropped, RecordFailed
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated, SeedsRequested
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.bus.pull import Pull
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.errors import InvalidError

from .record import collector, completed, dead_letters, eventually, running, seed, waiting


async def echo(event: SeedGenerated) -> Sequence[Publication]:
    return completed(event)


async def test_what_a_handler_returns_is_published_and_the_message_is_gone(bus: Bus) -> None:
    ledger, received = collector(bus)
    async with running(Consumer(bus, "policy", {SeedGenerated: echo}), ledger):
        await bus.publish_all([seed(number) for number in range(200)])
        await eventually(lambda: len(received) == 200)
        await eventually(lambda: waiting_is(bus, 0))
    assert {event.record_id for event in received} == {f"seed-{number}" for number in range(200)}


async def waiting_is(bus: Bus, count: int) -> bool:
    return await waiting(bus) == count


async def test_the_stratum_travels_with_the_record(bus: Bus) -> None:
    async with running(Consumer(bus, "policy", {SeedGenerated: echo})):
        await bus.publish(seed(1))
        await eventually(lambda: bus_has(bus, "gyeol.stage.completed"))
    stored = await bus.js.get_msg("GYEOL_WORK", subject="gyeol.stage.completed")
    assert stored.headers["Gyeol-Stratum"] == "I/G"


async def bus_has(bus: Bus, subject: str) -> bool:
    info = await bus.js.stream_info("GYEOL_WORK", subjects_filter=subject)
    return bool(info.state.subjects)


async def test_no_more_messages_are_in_work_than_there_are_slots(bus: Bus) -> None:
    in_work, most = 0, 0

    async def slow(event: SeedGenerated) -> Sequence[Publication]:
        nonlocal in_work, most
        in_work += 1
        most = max(most, in_work)
        await asyncio.sleep(0.01)
        in_work -= 1
        return []

    await bus.publish_all([seed(number) for number in range(60)])
    async with running(Consumer(bus, "policy", {SeedGenerated: slow}, slots=5)):
        await eventually(lambda: waiting_is(bus, 0))
    assert most == 5


async def test_a_fetch_that_brings_more_than_there_are_slots_is_worked_off(bus: Bus) -> None:
    """A pull request that expired on this side may still be answered: its messages come with the next fetch."""
    done: list[str] = []

    async def note(event: SeedGenerated) -> Sequence[Publication]:
        done.append(event.seed.id)
        await asyncio.sleep(0.02)
        return []

    consumer = Consumer(bus, "policy", {SeedGenerated: note}, slots=4)
    await consumer.ensure()
    others = await bus.js.pull_subscribe_bind("policy", stream="GYEOL_WORK")
    await bus.publish_all([seed(number) for number in range(20)])
    consumer._pull.left = await others.fetch(20, timeout=1)
    async with running(consumer):
        await bus.publish_all([seed(number) for number in range(20, 25)])
        await eventually(lambda: waiting_is(bus, 0))
    assert Counter(done) == Counter({f"seed-{number}": 1 for number in range(25)})


async def test_a_long_call_is_not_given_to_somebody_else(bus: Bus) -> None:
    calls = 0

    async def slow(event: SeedGenerated) -> Sequence[Publication]:
        nonlocal calls
        calls += 1
        await asyncio.sleep(2.5)
        return []

    async with running(Consumer(bus, "policy", {SeedGenerated: slow}, ack_wait=1.0)):
        await bus.publish(seed(1))
        await eventually(lambda: calls == 1)
        await eventually(lambda: waiting_is(bus, 0))
    assert calls == 1


async def test_a_message_seen_twice_has_one_effect(bus: Bus) -> None:
    """The first worker hangs without a heartbeat; the second does the work; the first answers late."""
    ledger, received = collector(bus)
    release = asyncio.Event()

    async def hang(event: SeedGenerated) -> Sequence[Publication]:
        await release.wait()
        return completed(event)

    first = Consumer(bus, "policy", {SeedGenerated: hang}, ack_wait=1.0)
    first._beat = lambda: asyncio.sleep(3600)  # type: ignore[method-assign]
    second = Consumer(bus, "policy", {SeedGenerated: echo}, ack_wait=1.0)
    async with running(first):
        await bus.publish(seed(1))
        await eventually(lambda: len(first._hand) == 1)
        async with running(second, ledger):
            await eventually(lambda: len(received) == 1)
            release.set()
            await asyncio.sleep(0.5)
    assert len(received) == 1


async def test_stopping_finishes_what_is_in_hand_and_fetches_no_more(bus: Bus) -> None:
    started, finished = [], []

    async def slow(event: SeedGenerated) -> Sequence[Publication]:
        started.append(event.seed.id)
        await asyncio.sleep(0.5)
        finished.append(event.seed.id)
        return []

    await bus.publish_all([seed(number) for number in range(20)])
    async with running(Consumer(bus, "policy", {SeedGenerated: slow}, slots=4)):
        await eventually(lambda: len(started) == 4)
    assert finished == started
    assert len(started) <= 8
    assert await waiting(bus) == 20 - len(finished)
    info = await bus.js.consumer_info("GYEOL_WORK", "policy")
    assert info.num_ack_pending == 0


async def test_what_does_not_finish_in_time_is_given_back_at_once(bus: Bus) -> None:
    async def endless(event: SeedGenerated) -> Sequence[Publication]:
        await asyncio.sleep(3600)
        return []

    consumer = Consumer(bus, "policy", {SeedGenerated: endless}, drain_seconds=0.2)
    async with running(consumer):
        await bus.publish(seed(1))
        await eventually(lambda: len(consumer._hand) == 1)
    ledger, received = collector(bus)
    async with running(Consumer(bus, "policy", {SeedGenerated: echo}), ledger):
        await eventually(lambda: len(received) == 1, seconds=3)


async def test_an_existing_durable_is_updated(bus: Bus) -> None:
    old = ConsumerConfig(
        durable_name="policy", filter_subject="gyeol.seed.generated", ack_policy=AckPolicy.EXPLICIT, ack_wait=2
    )
    await bus.js.add_consumer("GYEOL_WORK", old)
    await bus.publish(seed(1))
    await Consumer(bus, "policy", {SeedGenerated: echo}, ack_wait=45).ensure()
    config = (await bus.js.consumer_info("GYEOL_WORK", "policy")).config
    assert (config.ack_wait, config.max_deliver, config.max_ack_pending) == (45, 100, 10_000)
    assert config.filter_subjects == ["gyeol.seed.generated"]


async def test_one_durable_takes_several_events(bus: Bus) -> None:
    kinds: list[str] = []

    async def note(event: object) -> Sequence[Publication]:
        kinds.append(type(event).__name__)
        return []

    async with running(Consumer(bus, "policy", {SeedGenerated: note, SeedsRequested: note})):
        await bus.publish(seed(1))
        await bus.publish(Publication(SeedsRequested(stratum="I/G", count=3), "run-1", "I/G@0"))
        await eventually(lambda: sorted(kinds) == ["SeedGenerated", "SeedsRequested"])


async def test_dead_letters_of_every_stage_reach_their_consumer(bus: Bus) -> None:
    stages: list[str] = []

    async def note(event: RecordFailed) -> Sequence[Publication]:
        stages.append(event.stage)
        return []

    async with running(Consumer(bus, "ledger", {RecordFailed: note})):
        for stage in ("seed", "judge"):
            await bus.publish(Publication(RecordFailed(stage=stage), "run-1", "seed-1"))
        await eventually(lambda: sorted(stages) == ["judge", "seed"])


def test_events_of_two_streams_are_refused() -> None:
    async def note(event: object) -> Sequence[Publication]:
        return []

    with pytest.raises(InvalidError, match="exactly one stream"):
        Consumer(None, "ledger", {RecordDropped: note, RecordFailed: note})  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [1, 8])
async def test_a_fetch_that_brings_nothing_is_no_error(bus: Bus, most: int) -> None:
    """The client library raises one of two kinds of TimeoutError."""
    await Consumer(bus, "policy", {SeedGenerated: echo}).ensure()
    pull = Pull(bus, "GYEOL_WORK", "policy", SystemClock())
    for _ in range(3):
        assert await pull.fetch(most) == []
    await pull.renew()


async def test_two_services_cannot_consume_the_same_events(bus: Bus) -> None:
    await Consumer(bus, "policy", {SeedGenerated: echo}).ensure()
    with pytest.raises(InvalidError, match=r"refuses .*GYEOL_WORK\.judge: filtered consumer not unique"):
        await Consumer(bus, "judge", {SeedGenerated: echo}).run()


async def test_a_silent_subscription_is_replaced(bus: Bus) -> None:
    """A pull subscription can go dead on this side while the connection is well."""
    ledger, received = collector(bus)
    consumer = Consumer(bus, "policy", {SeedGenerated: echo}, quiet_seconds=0.5)
    async with running(consumer, ledger):
        await asyncio.sleep(0.2)
        subscription = consumer._pull._subscription
        await bus.nc._send_unsubscribe(subscription._sub._id)
        await bus.publish(seed(1))
        await eventually(lambda: len(received) == 1)
    assert consumer._pull._subscription is not subscription


async def test_a_durable_that_was_removed_is_made_again(bus: Bus) -> None:
    ledger, received = collector(bus)
    async with running(Consumer(bus, "policy", {SeedGenerated: echo}, quiet_seconds=0.5), ledger):
        await bus.publish(seed(1))
        await eventually(lambda: len(received) == 1)
        await bus.js.delete_consumer("GYEOL_WORK", "policy")
        await bus.publish(seed(2))
        await eventually(lambda: len(received) == 2)


async def test_a_result_that_is_too_large_is_a_dead_letter_with_the_input(bus: Bus) -> None:
    async def swell(event: SeedGenerated) -> Sequence[Publication]:
        return [seed(2, "가" * 300_000)]

    async with running(Consumer(bus, "policy", {SeedGenerated: swell})):
        await bus.publish(seed(1))
        await eventually(lambda: dead_count(bus, 1))
    [(subject, letter)] = await dead_letters(bus)
    assert (subject, letter.meaning, letter.record_id) == ("gyeol.dead.policy", "INVALID", "seed-1")
    assert SeedGenerated.FromString(letter.payload).seed.id == "seed-1"
    assert await waiting(bus) == 0


async def dead_count(bus: Bus, count: int) -> bool:
    return await waiting(bus, "GYEOL_DEAD") == count
