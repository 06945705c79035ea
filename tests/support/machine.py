"""A machine of one's own: a state folder, and `gyeol` as a process in it with stand-in jobs (see overlay/README.md)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from typer.testing import CliRunner

from gyeol.local.__main__ import app
from gyeol.local.home import Home, RunFolder
from gyeol.local.process import leftovers
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.identity import run_id
from support.world import DOCUMENT

SUPPORT = Path(__file__).parent
CULTURES = Path(__file__).parents[2] / "cultures"


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
            .replace("acceptedPerStratum: 10", "acceptedPerStratum: 3")
            .replace(*change)
        )
        file = self.path / f"{name}.yaml"
        file.write_text(text)
        return file

    def folder(self, file: Path) -> RunFolder:
        return self.home.run(run_id(parse_alignment_run(file.read_bytes(), file.name)))

    @property
    def surroundings(self) -> dict[str, str]:
        paths = os.pathsep.join([str(SUPPORT / "overlay"), os.environ.get("PYTHONPATH", "")])
        return {"POLICY_CULTURES": str(CULTURES), **self.env, "GYEOL_HOME": str(self.home.path), "PYTHONPATH": paths}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts `gyeol` as a process."""
        return subprocess.Popen(
            [sys.executable, "-m", "gyeol.local", *arguments],
            env={**os.environ, **self.surroundings},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Runs `gyeol` as a process to its end: status, output, errors."""
        return self.end(self.start(*arguments))

    def end(self, process: subprocess.Popen[str], seconds: float = 240.0) -> tuple[int, str, str]:
        """Waits until a started `gyeol` has ended; kills it when it does not."""
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"gyeol did not end within {seconds:g} s:\n{out}\n{err}") from None
        return process.returncode, out, err

    def ask(self, *arguments: str) -> tuple[int, Any]:
        """Runs a command within this process: status and the last JSON value it printed."""
        result = CliRunner().invoke(app, [*arguments, "--json"], env=self.surroundings)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, json.loads(result.stdout.splitlines()[-1])

    def pids(self, name: str) -> list[int]:
        return [one.pid for one in leftovers(self.home.path) if name in " ".join(psutil.Process(one.pid).cmdline())]

    def state(self, name: str) -> str:
        """What the newest run of this name is doing."""
        runs = [one for one in self.home.run_folders() if one.run_id.startswith(f"{name}-")]
        return str(runs[0].read(runs[0].status).get("state", "")) if runs else ""

    def clear(self) -> None:
        """Kills everything that is left."""
        for one in leftovers(self.home.path):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one.pid, signal.SIGKILL)


def until(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """Waits for something that nobody announces."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("waited too long")
        time.sleep(0.05)
