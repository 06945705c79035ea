"""`gyeol trace` beside a ledger at work: what it says of a dataset that is whole, changed, or cannot be looked at just now."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.ledger.v1.ledger_pb2_grpc import DatasetServiceStub, RunServiceStub
from gyeol.api.lineage.v1.lineage_pb2 import Node
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.rpc import Server, channel
from gyeol.ledger.__main__ import servicers
from gyeol.ledger.consumer import LedgerConsumer
from gyeol.ledger.service.journal import Journal
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.journal import SqlBooks
from gyeol.ledger.store.migration import migrate
from gyeol.local import roster
from gyeol.local.command.trace import named
from gyeol.local.home import Home
from gyeol.local.process import Identity
from support.record import seed, triplet_accepted


async def traced(home: Home, node: str) -> tuple[int, str]:
    """Status, and what was said."""
    ended = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "gyeol.local", "trace", node],
        env={key: value for key, value in os.environ.items() if key != "PYTHONHOME"} | {"GYEOL_HOME": str(home.path)},
        capture_output=True,
        text=True,
    )
    return ended.returncode, ended.stdout + ended.stderr


async def test_a_ledger_that_cannot_look_at_a_dataset_is_told_from_a_dataset_that_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, place = Home(tmp_path / ".gyeol"), tmp_path / "dataset"
    home.prepare()
    database = Database(f"sqlite:///{tmp_path / 'ledger.db'}")
    await migrate(database)
    server = Server("127.0.0.1", 0, servicers(database, SystemClock()), drain_seconds=1)
    port = await server.start()
    entry = roster.Entry(Identity.of(os.getpid()), port)
    roster.store(home, roster.Roster(None, {"ledger": entry}))
    async with channel(f"127.0.0.1:{port}") as opened:
        await RunServiceStub(opened).CreateRun(pb.CreateRunRequest(id="run-1", name="ko-test", spec_json="{}"))
        await LedgerConsumer(Journal(SqlBooks(database))).triplet_accepted(triplet_accepted(seed(1)))
        request = pb.SealDatasetRequest(run_id="run-1", destination=str(place))
        digest = (await DatasetServiceStub(opened).SealDataset(request)).dataset.digest

    status, said = await traced(home, digest)
    assert (status, "cited by" in said) == (0, True), said
    assert "review=not asked for" in said

    monkeypatch.setenv("PYTHONHOME", "/nowhere")  # which no process that the ledger starts from here on survives
    status, said = await traced(home, digest)
    assert (status, "could not be found out" in said, "again" in said) == (1, True, True), said
    monkeypatch.delenv("PYTHONHOME")

    next(place.glob("data/*")).write_bytes(b"another")
    status, said = await traced(home, digest)
    assert (status, "is not what was sealed: data/train-" in said) == (1, True), said
    await server.stop()
    await database.close()


def test_a_node_shows_the_id_by_which_it_is_found_again() -> None:
    assert named(Node(kind="triplet", id="3f9a", title="I/G G")) == "I/G G [3f9a]"
    assert named(Node(kind="statute", id="law:형법 제250조", title="law:형법 제250조")) == "law:형법 제250조"
