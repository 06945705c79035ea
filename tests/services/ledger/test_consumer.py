"""What stages publish ends in the books, over a real broker: once, and acknowledged only when it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_NOT_MINED, RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.settings import ServiceSettings
from gyeol.ledger.consumer import LedgerConsumer
from gyeol.ledger.convert.event import acceptance_from_pb
from gyeol.ledger.errors import StorageNotReadyError
from gyeol.ledger.service.journal import Journal
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.journal import SqlBooks
from gyeol.ledger.store.migration import migrate
from support.nats import NatsServer
from support.record import life, record_dropped, record_failed, seed, stage_completed, triplet_accepted

one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest_asyncio.fixture
async def bus(nats: NatsServer) -> AsyncIterator[Bus]:
    connected = await Bus.connect(ServiceSettings(nats_url=nats.url), "ledger")
    await connected.ensure()
    yield connected
    await connected.close()


class _Doors:
    """The ledger's two consumers, running."""

    def __init__(self, bus: Bus, database: Database) -> None:
        doors = LedgerConsumer(Journal(SqlBooks(database)))
        work: dict[Any, Any] = {
            StageCompleted: doors.stage_completed,
            TripletAccepted: doors.triplet_accepted,
            RecordDropped: doors.record_dropped,
        }
        dead: dict[Any, Any] = {RecordFailed: doors.record_failed}
        self._consumers = [Consumer(bus, "ledger", work, slots=256), Consumer(bus, "ledger", dead, slots=16)]

    async def __aenter__(self) -> None:
        self._tasks = [asyncio.create_task(consumer.run()) for consumer in self._consumers]

    async def __aexit__(self, *_: object) -> None:
        for consumer in self._consumers:
            consumer.stop()
        await asyncio.gather(*self._tasks)


def publication(event: Any, again: int = 0) -> Publication:
    run = getattr(event, "run_id", "") or event.run.run_id
    record = getattr(event, "record_id", "") or event.triplet.record_id
    stage = getattr(event, "stage", "judge")
    return Publication(event, run, record, id=f"{run}/{record}/{stage}/{type(event).__name__}/{again}")


async def _until(ledger: Any, condition: Any, seconds: float = 15) -> pb.Account:
    for _ in range(int(seconds * 20)):
        account: pb.Account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
        if condition(account):
            return account
        await asyncio.sleep(0.05)
    raise AssertionError(account)


async def test_events_of_a_run_are_stored_once_and_then_acknowledged(ledger: Any, bus: Bus) -> None:
    await ledger.start_run()
    events = [event for number in range(20) for event in life(seed(number))]
    events += [stage_completed(seed(30), stage) for stage in ("seed", "policy", "candidate")]
    events += [
        record_dropped(seed(30), "candidate", DROP_REASON_NOT_MINED),
        stage_completed(seed(31), "seed"),
        record_failed(seed(31), "policy"),
    ]
    for again in range(2):
        for event in reversed(events):
            await bus.publish(publication(event, again))
    async with _Doors(bus, ledger.database):
        account = await _until(ledger, lambda account: account.inputs == 22 and account.balanced)
        for _ in range(100):
            info = await bus.js.consumer_info("GYEOL_WORK", "ledger")
            if info.num_ack_pending == 0 and info.num_pending == 0:
                break
            await asyncio.sleep(0.05)
    assert (account.triplets, account.failures, dict(account.drops)) == (20, 1, {"NOT_MINED": 1})
    assert account.calls == 20 * 4
    state = (await bus.js.stream_info("GYEOL_WORK")).state
    assert state.messages == 0


@one_database
async def test_an_event_that_makes_no_sense_becomes_a_dead_letter_and_a_failure(ledger: Any, bus: Bus) -> None:
    await ledger.start_run()
    broken = triplet_accepted(seed(1))
    broken.triplet.chosen = ""
    await bus.publish(publication(stage_completed(seed(1), "judge")))
    await bus.publish(publication(broken))
    async with _Doors(bus, ledger.database):
        account = await _until(ledger, lambda account: account.failures == 1)
    assert account.triplets == 0
    drops = await ledger.records.ListDrops(pb.ListDropsRequest(run_id="run-1"))
    assert [(failure.stage, failure.meaning) for failure in drops.failures] == [("ledger", "INVALID")]
    assert "prompt, chosen or rejected is empty" in drops.failures[0].detail


@one_database
async def test_a_dead_letter_without_an_owner_does_not_go_round_for_ever(ledger: Any, bus: Bus) -> None:
    await ledger.start_run()
    orphan = RecordFailed(stage="judge", subject="gyeol.candidate.written", meaning="INVALID")
    await bus.publish(Publication(orphan, "", "", id="orphan"))
    await bus.publish(publication(record_failed(seed(1), "policy")))
    async with _Doors(bus, ledger.database):
        await _until(ledger, lambda account: account.failures == 1)
    assert (await bus.js.stream_info("GYEOL_DEAD")).state.messages == 2


async def test_a_ledger_without_storage_keeps_events_in_the_broker(bus: Bus, ledger: Any, tmp_path: Path) -> None:
    await ledger.start_run()
    full = Database(f"sqlite:///{tmp_path / 'full.db'}", max_megabytes=1)
    await migrate(full)
    filler = Journal(SqlBooks(full))
    with pytest.raises(StorageNotReadyError):
        for number in range(1000):
            await filler.append(acceptance_from_pb(triplet_accepted(seed(number), "other")))
    events = [event for number in range(10) for event in life(seed(number))]
    for event in events:
        await bus.publish(publication(event))
    async with _Doors(bus, full):
        await asyncio.sleep(0.5)
    assert (await bus.js.stream_info("GYEOL_WORK")).state.messages > 0
    await full.close()
    async with _Doors(bus, ledger.database):
        await _until(ledger, lambda account: account.triplets > 0)
