import pytest

from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.seed.v1.seed_pb2 import Seed, SeedGenerated, SeedsRequested
from gyeol.chassis.bus import PAYLOAD_BYTES, Bus, Publication, subject_of
from gyeol.chassis.bus.stream import streams
from gyeol.chassis.errors import InvalidError

from .record import seed, waiting


def test_the_subject_comes_from_the_proto() -> None:
    assert subject_of(SeedGenerated) == "gyeol.seed.generated"
    assert subject_of(SeedsRequested) == "gyeol.seed.requested"
    assert Publication(RecordFailed(stage="judge"), "r", "1").subject() == "gyeol.dead.judge"


def test_a_message_without_a_subject_is_no_event() -> None:
    with pytest.raises(InvalidError, match=r"gyeol.api.seed.v1.Seed has no subject"):
        subject_of(Seed)


async def test_an_event_is_stored_with_its_id_and_owner(bus: Bus) -> None:
    assert await bus.publish(seed(1))
    stored = await bus.js.get_msg("GYEOL_WORK", subject="gyeol.seed.generated")
    assert SeedGenerated.FromString(stored.data).seed.id == "seed-1"
    assert stored.headers["Nats-Msg-Id"] == "run-1/seed-1/seed/gyeol.seed.generated"
    assert stored.headers["Gyeol-Run-Id"] == "run-1"
    assert stored.headers["Gyeol-Record-Id"] == "seed-1"
    assert stored.headers["Gyeol-Stratum"] == "I/G"


async def test_the_same_event_twice_is_stored_once(bus: Bus) -> None:
    assert await bus.publish(seed(1))
    assert not await bus.publish(seed(1))
    assert await waiting(bus) == 1


async def test_an_event_that_is_too_large_is_refused_before_it_is_sent(bus: Bus) -> None:
    with pytest.raises(InvalidError, match=rf"SeedGenerated of record seed-1 has \d+ bytes, at most {PAYLOAD_BYTES}"):
        await bus.publish(seed(1, "가" * (PAYLOAD_BYTES // 3)))
    assert bus.connected
    assert await waiting(bus) == 0


async def test_the_largest_event_fits(bus: Bus) -> None:
    room = PAYLOAD_BYTES - len(seed(1, "").payload()) - 100
    assert await bus.publish(seed(1, "a" * room))


async def test_the_largest_event_fits_into_a_dead_letter(bus: Bus) -> None:
    letter = RecordFailed(stage="policy", payload=b"a" * PAYLOAD_BYTES, detail="왜" * 2000)
    assert await bus.publish(Publication(letter, "run-1", "seed-1"))


async def test_many_events_are_published_side_by_side(bus: Bus) -> None:
    await bus.publish_all([seed(number) for number in range(300)])
    assert await waiting(bus) == 300


async def test_one_event_that_is_too_large_among_many_is_named(bus: Bus) -> None:
    with pytest.raises(InvalidError, match="record seed-3 "):
        await bus.publish_all([seed(number, "가" * (300_000 if number == 3 else 1)) for number in range(10)])


async def test_streams_are_made_once_and_updated_when_they_differ(bus: Bus) -> None:
    await bus.publish(seed(1))
    config = streams()[0]
    config.max_msgs = 10
    await bus.js.update_stream(config)
    await bus.ensure()
    await bus.ensure()
    info = await bus.js.stream_info("GYEOL_WORK")
    assert info.config.max_msgs == 1_000_000
    assert info.state.messages == 1


async def test_a_stream_in_the_way_is_named(nats, bus: Bus) -> None:  # type: ignore[no-untyped-def]
    await bus.js.delete_stream("GYEOL_DEAD")
    await bus.js.add_stream(name="OTHER", subjects=["gyeol.dead.judge"])
    with pytest.raises(InvalidError, match="GYEOL_DEAD cannot be updated"):
        await bus.ensure()


async def test_publishing_makes_streams_that_a_broker_lost(bus: Bus) -> None:
    await bus.js.delete_stream("GYEOL_WORK")
    assert await bus.publish(Publication(StageCompleted(stage="seed"), "run-1", "seed-1"))
