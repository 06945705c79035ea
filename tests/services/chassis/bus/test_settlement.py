from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import grpc
import grpc.aio
import pytest

from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.errors import (
    ConflictError,
    DeniedError,
    ExhaustedError,
    InternalError,
    InvalidError,
    Meaning,
    NotFoundError,
    NotReadyError,
)
from gyeol.chassis.outcomes import TABLE, Nak, Table

from .record import collector, completed, dead_letters, eventually, running, seed, waiting


def hurried(seconds: float = 0.02) -> Table:
    """The table with delays that a test can wait for."""

    def hurry(nak: Nak) -> Nak:
        return Nak(first=seconds, ceiling=seconds, attempts=nak.attempts)

    return MappingProxyType(
        {
            meaning: replace(outcome, disposition=hurry(outcome.disposition))
            if isinstance(outcome.disposition, Nak)
            else outcome
            for meaning, outcome in TABLE.items()
        }
    )


class Failing:
    """Raises the given errors one after the other, then succeeds."""

    def __init__(self, *errors: BaseException, forever: BaseException | None = None) -> None:
        self.errors = list(errors)
        self.forever = forever
        self.calls = 0

    async def __call__(self, event: SeedGenerated) -> Sequence[Publication]:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        if self.forever is not None:
            raise self.forever
        return completed(event)


async def dead_count(bus: Bus, count: int) -> bool:
    return await waiting(bus, "GYEOL_DEAD") == count


async def nothing_left(bus: Bus) -> bool:
    info = await bus.js.consumer_info("GYEOL_WORK", "policy")
    return await waiting(bus) == 0 and info.num_ack_pending == 0


@pytest.mark.parametrize("error", [InvalidError("field x: no"), DeniedError("no"), NotFoundError("no")])
async def test_an_error_that_stays_is_a_dead_letter_at_once(bus: Bus, error: Exception) -> None:
    handler = Failing(forever=error)
    async with running(Consumer(bus, "policy", {SeedGenerated: handler})):
        await bus.publish(seed(1))
        await eventually(lambda: dead_count(bus, 1))
        await eventually(lambda: nothing_left(bus))
    [(subject, letter)] = await dead_letters(bus)
    assert handler.calls == 1
    assert subject == "gyeol.dead.policy"
    assert letter.run_id == "run-1"
    assert letter.record_id == "seed-1"
    assert letter.stage == "policy"
    assert letter.stratum == "I/G"
    assert letter.subject == "gyeol.seed.generated"
    assert letter.meaning == error.meaning.value  # type: ignore[attr-defined]
    assert letter.detail == str(error)
    assert letter.deliveries == 1
    assert letter.HasField("failed_at")
    assert SeedGenerated.FromString(letter.payload).seed.id == "seed-1"


async def test_a_payload_that_is_not_the_event_is_a_dead_letter_with_that_payload(bus: Bus) -> None:
    headers = {"Gyeol-Run-Id": "run-1", "Gyeol-Record-Id": "seed-9"}
    async with running(Consumer(bus, "policy", {SeedGenerated: Failing()})):
        await bus.js.publish("gyeol.seed.generated", b"\xff\xff not a proto", headers=headers)
        await eventually(lambda: dead_count(bus, 1))
    [(_, letter)] = await dead_letters(bus)
    assert (letter.meaning, letter.record_id, letter.payload) == ("INVALID", "seed-9", b"\xff\xff not a proto")
    assert letter.detail == "the payload on gyeol.seed.generated is not a SeedGenerated"


async def test_a_conflict_means_that_somebody_was_first(bus: Bus) -> None:
    handler = Failing(forever=ConflictError("done already"))
    async with running(Consumer(bus, "policy", {SeedGenerated: handler})):
        await bus.publish(seed(1))
        await eventually(lambda: handler.calls == 1)
        await eventually(lambda: nothing_left(bus))
    assert await dead_letters(bus) == []


@pytest.mark.parametrize(
    "error",
    [
        NotReadyError("down"),
        grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata(), details="down"),
    ],
)
async def test_an_endpoint_that_is_down_for_long_costs_no_record(bus: Bus, error: Exception) -> None:
    handler = Failing(*[error] * 40)
    ledger, received = collector(bus)
    async with running(Consumer(bus, "policy", {SeedGenerated: handler}, outcomes=hurried()), ledger):
        await bus.publish(seed(1))
        await eventually(lambda: len(received) == 1)
    assert handler.calls == 41
    assert await dead_letters(bus) == []


async def test_waiting_does_not_use_up_the_attempts_of_a_real_error(bus: Bus) -> None:
    handler = Failing(*[NotReadyError("down")] * 20, *[InternalError("ours")] * 4)
    ledger, received = collector(bus)
    async with running(Consumer(bus, "policy", {SeedGenerated: handler}, outcomes=hurried()), ledger):
        await bus.publish(seed(1))
        await eventually(lambda: len(received) == 1)


async def test_an_endpoint_that_never_comes_back_is_a_dead_letter_in_the_end(bus: Bus) -> None:
    handler = Failing(forever=NotReadyError("endpoint a is down"))
    async with running(Consumer(bus, "policy", {SeedGenerated: handler}, outcomes=hurried(0.005))):
        await bus.publish(seed(1))
        await eventually(lambda: dead_count(bus, 1))
        await eventually(lambda: nothing_left(bus))
    [(_, letter)] = await dead_letters(bus)
    assert (letter.meaning, letter.detail, letter.deliveries) == ("NOT_READY", "endpoint a is down", 64)


async def test_a_fault_of_ours_is_tried_five_times_and_its_words_are_not_told(bus: Bus) -> None:
    handler = Failing(forever=KeyError("harmful text"))
    async with running(Consumer(bus, "policy", {SeedGenerated: handler}, outcomes=hurried())):
        await bus.publish(seed(1))
        await eventually(lambda: dead_count(bus, 1))
    [(_, letter)] = await dead_letters(bus)
    assert (letter.meaning, letter.detail, handler.calls) == ("INTERNAL", "KeyError", 5)


async def test_the_last_delivery_is_a_dead_letter_and_not_a_message_in_limbo(bus: Bus) -> None:
    handler = Failing(forever=ExhaustedError("budget"))
    async with running(Consumer(bus, "policy", {SeedGenerated: handler}, outcomes=hurried(), max_deliver=3)):
        await bus.publish(seed(1))
        await eventually(lambda: dead_count(bus, 1))
        await eventually(lambda: nothing_left(bus))
    assert handler.calls == 3


async def test_who_refuses_says_when_to_come_back(bus: Bus) -> None:
    table: Table = MappingProxyType(
        {**TABLE, Meaning.NOT_READY: replace(TABLE[Meaning.NOT_READY], disposition=Nak(0.01, 60, 64))}
    )
    handler = Failing(NotReadyError("busy", retry_after=0.8))
    ledger, received = collector(bus)
    async with running(Consumer(bus, "policy", {SeedGenerated: handler}, outcomes=table), ledger):
        await bus.publish(seed(1))
        await eventually(lambda: handler.calls == 1)
        with pytest.raises(AssertionError):
            await eventually(lambda: received, seconds=0.5)
        await eventually(lambda: received, seconds=3)


async def test_a_dead_letter_that_cannot_be_handled_stays_where_it_is(bus: Bus) -> None:
    async def refuse(event: RecordFailed) -> Sequence[Publication]:
        raise InvalidError("no")

    consumer = Consumer(bus, "ledger", {RecordFailed: refuse})
    await consumer.ensure()
    async with running(consumer):
        await bus.publish(Publication(RecordFailed(stage="judge"), "run-1", "seed-1"))
        await eventually(lambda: caught_up(bus))
    assert await waiting(bus, "GYEOL_DEAD") == 1


async def caught_up(bus: Bus) -> bool:
    info = await bus.js.consumer_info("GYEOL_DEAD", "ledger")
    return bool(info.num_pending == 0 and info.num_ack_pending == 0 and info.delivered.stream_seq == 1)


async def test_a_hundred_bad_records_do_not_hold_up_the_good_ones(bus: Bus) -> None:
    async def picky(event: SeedGenerated) -> Sequence[Publication]:
        if int(event.seed.id.removeprefix("seed-")) % 2:
            raise InvalidError("odd")
        return completed(event)

    ledger, received = collector(bus)
    async with running(Consumer(bus, "policy", {SeedGenerated: picky}), ledger):
        await bus.publish_all([seed(number) for number in range(200)])
        await eventually(lambda: len(received) == 100)
        await eventually(lambda: dead_count(bus, 100))
        await eventually(lambda: nothing_left(bus))
