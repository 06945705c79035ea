"""Whose turn it is, with several replicas, redelivery and crashes, over a real store."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator

from gyeol.chassis.bus import Bus
from gyeol.chassis.settings import ServiceSettings
from gyeol.chassis.store import KeyValue, Memory
from gyeol.judge.turn import Turns, key
from support.nats import NatsServer, nats  # noqa: F401

WRITERS = ("a", "b", "c")


async def test_ties_go_round() -> None:
    turns = Turns(Memory())
    chosen = [await turns.choose("run", f"record-{number}", WRITERS) for number in range(7)]

    assert chosen == ["a", "b", "c", "a", "b", "c", "a"]


async def test_a_clear_winner_counts_for_the_next_tie() -> None:
    turns = Turns(Memory())
    await turns.choose("run", "record-1", ("a",))

    assert await turns.choose("run", "record-2", WRITERS) == "b"


async def test_a_redelivered_record_keeps_its_writer() -> None:
    store = Memory()
    first = await Turns(store).choose("run", "record-1", WRITERS)
    other_replica = Turns(store)
    await other_replica.choose("run", "record-2", WRITERS)

    assert await other_replica.choose("run", "record-1", WRITERS) == first
    assert await Turns(store).choose("run", "record-1", ("c", "b", "a")) == first


async def test_a_choice_that_no_longer_leads_does_not_stand() -> None:
    turns = Turns(Memory())
    await turns.choose("run", "record-1", ("a",))

    assert await turns.choose("run", "record-1", ("b",)) == "b"


async def test_runs_do_not_share_their_turns() -> None:
    turns = Turns(Memory())
    await turns.choose("run-1", "record-1", WRITERS)

    assert await turns.choose("run-2", "record-1", WRITERS) == "a"


async def test_many_runs_are_forgotten_and_read_again() -> None:
    store = Memory()
    turns = Turns(store)
    for number in range(80):
        await turns.choose(f"run-{number}", "record-1", WRITERS)

    assert await turns.choose("run-0", "record-2", WRITERS) == "b"


async def test_replicas_that_choose_at_once_share_one_count(nats: NatsServer) -> None:  # noqa: F811
    bus = await Bus.connect(ServiceSettings(nats_url=nats.url), "judge")
    await bus.ensure()
    try:
        bucket = await bus.bucket("gyeol-turns")
        replicas = [Turns(bucket) for _ in range(3)]
        records = [f"record-{number}" for number in range(30)]
        # Every record goes to two replicas at once, as after a late acknowledgement.
        asked = [(replicas[(at + again) % 3], record) for at, record in enumerate(records) for again in range(2)]
        chosen = await asyncio.gather(*(replica.choose("run", record, WRITERS) for replica, record in asked))
        by_record: dict[str, set[str]] = {}
        for (_, record), writer in zip(asked, chosen, strict=True):
            by_record.setdefault(record, set()).add(writer)
        log = [json.loads(entry) async for entry in _entries(bucket)]
    finally:
        await bus.close()

    assert all(len(writers) == 1 for writers in by_record.values())
    assert sorted(record for record, _ in log) == sorted(records)
    assert Counter(writer for _, writer in log) == {"a": 10, "b": 10, "c": 10}


async def _entries(store: KeyValue) -> AsyncIterator[bytes]:
    number = 0
    while (entry := await store.get(key("run", number))) is not None:
        yield entry
        number += 1
