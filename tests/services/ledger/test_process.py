"""The ledger as a process: it starts beside a twin, survives being killed in the middle of work, and drains on SIGTERM."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.ledger.v1.ledger_pb2_grpc import RunServiceStub
from gyeol.chassis.bus import Bus, Publication
from gyeol.chassis.rpc import channel
from gyeol.chassis.settings import ServiceSettings
from support.nats import NatsServer
from support.record import life, seed


class Process:
    """One `python -m gyeol.ledger`."""

    def __init__(self, folder: Path, name: str, environment: dict[str, str]) -> None:
        self._ready = folder / f"{name}.json"
        self._log = folder / f"{name}.log"
        self._ready.unlink(missing_ok=True)
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gyeol.ledger"],
                env=os.environ | environment | {"LEDGER_READY_FILE": str(self._ready)},
                stdout=log,
                stderr=log,
            )

    async def port(self) -> int:
        """Waits until it serves."""
        for _ in range(600):
            if self._ready.exists():
                return int(json.loads(self._ready.read_text())["port"])
            if self.process.poll() is not None:
                raise RuntimeError(self._log.read_text())
            await asyncio.sleep(0.05)
        raise RuntimeError(self._log.read_text())

    async def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return await asyncio.to_thread(self.process.wait)


async def _publish(url: str, numbers: range) -> None:
    bus = await Bus.connect(ServiceSettings(nats_url=url), "judge")
    await bus.ensure()
    for number in numbers:
        for event in life(seed(number)):
            stage = getattr(event, "stage", "judge")
            await bus.publish(
                Publication(event, "run-1", seed(number).id, id=f"{number}/{stage}/{type(event).__name__}")
            )
    await bus.close()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_ledgers_killed_in_the_middle_of_work_lose_nothing(
    nats: NatsServer, database_url: str, tmp_path: Path
) -> None:
    environment = {"LEDGER_NATS_URL": nats.url, "LEDGER_DATABASE_URL": database_url, "LEDGER_SLOTS": "32"}
    await _publish(nats.url, range(150))
    first, twin = (Process(tmp_path, name, environment) for name in ("first", "twin"))
    await asyncio.gather(first.port(), twin.port())
    await first.end(signal.SIGKILL)
    publishing = asyncio.create_task(_publish(nats.url, range(150, 250)))
    await asyncio.sleep(0.3)
    await twin.end(signal.SIGKILL)
    await publishing
    heir = Process(tmp_path, "heir", environment)
    async with channel(f"127.0.0.1:{await heir.port()}") as opened:
        account = await _balanced(RunServiceStub(opened))
    assert (account.inputs, account.triplets, account.calls) == (250, 250, 1000)
    assert await heir.end(signal.SIGTERM) == 0


async def _balanced(runs: Any) -> pb.Account:
    await runs.CreateRun(pb.CreateRunRequest(id="run-1", name="run", spec_json="{}"))
    account = pb.Account()
    # What a killed ledger had fetched comes back after the broker's acknowledgement wait of 30 s.
    for _ in range(90):
        account = (await runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
        if account.balanced and account.inputs == 250:
            break
        await asyncio.sleep(0.5)
    return account


async def test_wrong_settings_are_named_and_end_with_two(tmp_path: Path) -> None:
    process = Process(tmp_path, "wrong", {"LEDGER_MAX_MEGABYTES": "none"})
    assert await asyncio.to_thread(process.process.wait) == 2
    assert "LEDGER_MAX_MEGABYTES='none'" in (tmp_path / "wrong.log").read_text()
