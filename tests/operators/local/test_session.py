"""Whole runs with the real broker and data services; the jobs and the model server are stand-ins (see support/overlay)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from gyeol.local.home import Home, RunFolder
from gyeol.local.process import leftovers
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.identity import run_id
from support.world import DOCUMENT

SUPPORT = Path(__file__).parents[2] / "support"
CULTURES = Path(__file__).parents[3] / "cultures"


@dataclass
class Machine:
    """A state folder, and `gyeol` as a process in it."""

    path: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Home:
        return Home(self.path / ".gyeol")

    def describe(self, name: str, change: tuple[str, str] = ("", "")) -> Path:
        text = (
            DOCUMENT.replace("ko-test", name)
            .replace("acceptedPerStratum: 10", "acceptedPerStratum: 4")
            .replace(*change)
        )
        file = self.path / f"{name}.yaml"
        file.write_text(text)
        return file

    def folder(self, file: Path) -> RunFolder:
        return self.home.run(run_id(parse_alignment_run(file.read_bytes(), file.name)))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        paths = os.pathsep.join([str(SUPPORT / "overlay"), os.environ.get("PYTHONPATH", "")])
        env = {
            **os.environ,
            **self.env,
            "GYEOL_HOME": str(self.home.path),
            "PYTHONPATH": paths,
            "POLICY_CULTURES": str(CULTURES),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "gyeol.local", *arguments],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def result(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        status, out, err = self.run(*arguments, "--json")
        assert out, err
        return status, json.loads(out.splitlines()[-1])

    def pids(self, name: str) -> list[int]:
        return [one.pid for one in leftovers(self.home.path) if name in " ".join(psutil.Process(one.pid).cmdline())]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    for one in leftovers(made.home.path):
        with contextlib.suppress(ProcessLookupError):
            os.kill(one.pid, signal.SIGKILL)


COUNTS = ("seeds", "mined", "drops", "failures", "accepted_harmful", "accepted_benign")


def test_killing_services_and_broker_changes_no_count_and_a_second_run_starts_nothing(machine: Machine) -> None:
    calm, shaken = machine.describe("ko-calm"), machine.describe("ko-shaken")
    status, undisturbed = machine.result("run", "-f", str(calm))
    assert (status, undisturbed["verdict"]) == (0, "Pass")
    assert leftovers(machine.home.path) == []

    process = machine.start("run", "-f", str(shaken), "--json")
    for name in ("gyeol.candidate", "nats-server", "gyeol.judge", "gyeol.ledger"):
        kill_when_there(machine, name)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "ended and is started again" in out
    disturbed = json.loads(out.splitlines()[-1])
    assert {key: disturbed[key] for key in COUNTS} == {key: undisturbed[key] for key in COUNTS}
    account = json.loads(machine.folder(shaken).account.read_text())
    assert account["balanced"]
    assert account["inputs"] == account["triplets"] + sum(account["drops"].values()) + account["failures"]

    began = time.monotonic()
    status, again = machine.result("run", "-f", str(shaken))
    assert (status, {key: again[key] for key in COUNTS}) == (0, {key: disturbed[key] for key in COUNTS})
    assert again["calls"] == disturbed["calls"]
    assert time.monotonic() - began < 10

    status, answer = machine.result("chat", "-m", "안녕하세요")
    assert (status, answer["model"]) == (0, "ko-shaken")
    assert answer["answer"].startswith("네, 도와드릴게요.")


def kill_when_there(machine: Machine, name: str) -> None:
    """Kills a process once, in the midst of gathering."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        gathering = [
            folder
            for folder in machine.home.run_folders()
            if folder.run_id.startswith("ko-shaken") and folder.read(folder.status).get("state") == "Gathering"
        ]
        pids = machine.pids(name)
        if gathering and pids:
            os.kill(pids[0], signal.SIGKILL)
            time.sleep(0.7)
            return
        time.sleep(0.05)
    raise AssertionError(f"{name} was never there while the run gathered")
