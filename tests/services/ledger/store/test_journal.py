"""Events are stored once, whatever their order, number and company; what cannot be stored is told, not lost."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_NOT_MINED, RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.ledger.convert.event import acceptance_from_pb, drop_from_pb, failure_from_pb, stage_done_from_pb
from gyeol.ledger.domain.account import account
from gyeol.ledger.domain.event import Entry
from gyeol.ledger.errors import StorageDamagedError, StorageNotReadyError
from gyeol.ledger.service.journal import Journal
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.journal import SqlBooks
from gyeol.ledger.store.migration import migrate
from gyeol.ledger.store.run import SqlRuns
from support.clock import SteppedClock
from support.postgres import PostgresServer
from support.record import life, record_dropped, record_failed, seed, stage_completed


def entry(event: Any) -> Entry:
    match event:
        case StageCompleted():
            return stage_done_from_pb(event)
        case TripletAccepted():
            return acceptance_from_pb(event)
        case RecordDropped():
            return drop_from_pb(event)
        case RecordFailed():
            failure = failure_from_pb(event)
            assert failure is not None
            return failure
    raise AssertionError(event)


def a_run() -> list[Entry]:
    """Six triplets, three drops, one failure and two records on their way."""
    events: list[Any] = [event for number in range(6) for event in life(seed(number))]
    for number in range(6, 9):
        events += [stage_completed(seed(number), stage, calls=5) for stage in ("seed", "policy", "candidate")]
        events.append(record_dropped(seed(number), "candidate", DROP_REASON_NOT_MINED))
    events += [stage_completed(seed(9), "seed"), record_failed(seed(9), "policy")]
    events += [stage_completed(seed(number), "seed") for number in (10, 11)]
    return [entry(event) for event in events]


async def _books(database: Database) -> Any:
    runs = SqlRuns(database)
    await _register(database)
    return await runs.books("run-1", awaited="None")


async def _register(database: Database) -> None:
    from gyeol.ledger.service.run import Runs

    await Runs(SqlRuns(database), SteppedClock()).create("run-1", "run", "{}")


async def _count(database: Database, table: Any) -> int:
    async with database.read() as connection:
        return int(await connection.scalar(select(func.count()).select_from(table)) or 0)


@pytest.mark.parametrize("shuffle", range(3))
async def test_order_and_repetition_change_nothing(database: Database, shuffle: int) -> None:
    entries = a_run() * 3
    random.Random(shuffle).shuffle(entries)
    journal = Journal(SqlBooks(database))
    await asyncio.gather(*(journal.append(one) for one in entries))
    books = await _books(database)
    added = account(books.groups, books.drops)
    assert (added.total.results, added.total.drops, added.total.failures, added.total.pending) == (6, 3, 1, 2)
    assert added.drops == {"NOT_MINED": 3}
    assert added.gaps == 0
    assert (books.calls, books.cached_calls) == (6 * 4 + 3 * 3 * 5, 0)
    assert await _count(database, schema.triplet) == 6
    assert await _count(database, schema.rejected_text) == 6 + 1
    assert await _count(database, schema.citation) == 6


async def test_two_ledgers_that_write_the_same_records_agree(database_url: str, database: Database) -> None:
    twin = Database(database_url)
    entries = a_run() * 4
    random.Random(7).shuffle(entries)
    journals = [Journal(SqlBooks(database)), Journal(SqlBooks(twin))]
    await asyncio.gather(*(journals[number % 2].append(one) for number, one in enumerate(entries)))
    books = await _books(database)
    assert account(books.groups, books.drops).total.inputs == 12
    assert account(books.groups, books.drops).total.results == 6
    await twin.close()


async def test_a_late_stratum_is_filled_in_and_an_early_one_kept(database: Database) -> None:
    journal = Journal(SqlBooks(database))
    bare = stage_completed(seed(1), "policy")
    bare.stratum = ""
    await journal.append(entry(bare))
    await journal.append(entry(stage_completed(seed(1), "seed")))
    await journal.append(entry(bare))
    assert [group.stratum for group in (await _books(database)).groups] == ["IV/G"]


class _Refusing:
    """A database that one poisonous entry makes fail, as a constraint would."""

    def __init__(self, books: SqlBooks, poison: str) -> None:
        self._books = books
        self._poison = poison
        self.groups: list[int] = []

    async def write(self, entries: Sequence[Entry]) -> None:
        self.groups.append(len(entries))
        await asyncio.sleep(0)
        if any(one.record_id == self._poison for one in entries):
            raise ValueError("poison")
        await self._books.write(entries)


async def test_an_entry_that_cannot_be_stored_fails_alone(database: Database) -> None:
    entries = a_run()
    books = _Refusing(SqlBooks(database), seed(9).id)
    journal = Journal(books)
    results = await asyncio.gather(*(journal.append(one) for one in entries), return_exceptions=True)
    refused = [one.record_id for one, result in zip(entries, results, strict=True) if result is not None]
    assert refused == [seed(9).id] * 2
    assert await _count(database, schema.record) == 11


async def test_entries_that_wait_together_are_committed_together(database: Database) -> None:
    books = _Refusing(SqlBooks(database), "")
    journal = Journal(books)
    await asyncio.gather(*(journal.append(entry(stage_completed(seed(n), "seed"))) for n in range(300)))
    assert len(books.groups) <= 2
    assert sum(books.groups) == 300


async def test_a_locked_database_is_not_ready_and_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    database = Database(f"sqlite:///{file}", busy_seconds=0.2)
    await migrate(database)
    journal = Journal(SqlBooks(database))
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    one = entry(stage_completed(seed(1), "seed"))
    with pytest.raises(StorageNotReadyError, match="another process holds the database"):
        await journal.append(one)
    holder.execute("ROLLBACK")
    await journal.append(one)
    assert await _count(database, schema.stage) == 1
    holder.close()
    await database.close()


async def test_a_full_disk_is_not_ready_and_keeps_what_was_committed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    database = Database(url, max_megabytes=1)
    await migrate(database)
    journal = Journal(SqlBooks(database))
    stored = 0
    with pytest.raises(StorageNotReadyError, match=r"LEDGER_MAX_MEGABYTES, is full.*Nothing was stored"):
        for number in range(2000):
            await asyncio.gather(*(journal.append(entry(event)) for event in life(seed(number))))
            stored += 1
    assert stored > 10
    await database.close()
    roomy = Database(url, max_megabytes=16)
    assert await _count(roomy, schema.triplet) == stored
    await asyncio.gather(*(Journal(SqlBooks(roomy)).append(entry(event)) for event in life(seed(stored))))
    assert await _count(roomy, schema.triplet) == stored + 1
    await roomy.close()


async def test_a_file_that_is_no_database_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    file.write_text("somebody's notes\n" * 100)
    database = Database(f"sqlite:///{file}")
    with pytest.raises(StorageDamagedError, match=r"ledger\.db: not a database.*move it away"):
        await migrate(database)
    await database.close()
    assert file.read_text().startswith("somebody's notes")


@pytest.mark.needs_postgres
async def test_a_broken_connection_is_not_ready_and_heals(postgres: PostgresServer) -> None:
    database = Database(postgres.database())
    await migrate(database)
    journal = Journal(SqlBooks(database))
    one = entry(stage_completed(seed(1), "seed"))
    async with database.read() as connection:
        await connection.scalar(select(1))
        postgres.disconnect_all()
        with pytest.raises(StorageNotReadyError):
            async with database.write() as other:
                await connection.scalar(select(1))
                await other.scalar(select(1))
    await journal.append(one)
    assert await _count(database, schema.stage) == 1
    await database.close()


@pytest.mark.needs_postgres
async def test_an_unreachable_server_is_not_ready(postgres: PostgresServer) -> None:
    database = Database("postgresql://gyeol@127.0.0.1:1/nowhere")
    with pytest.raises(StorageNotReadyError, match="cannot be reached"):
        await migrate(database)
    missing = Database(postgres.database().rsplit("/", 1)[0] + "/absent")
    with pytest.raises(StorageNotReadyError, match="does not exist"):
        await migrate(missing)
    await database.close()
    await missing.close()
