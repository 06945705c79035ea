"""Processes of this hand: started in groups of their own, known again later, ended completely.

A child carries the state folder in its environment, and so do its own children.
That is how leftovers of a killed `gyeol` are found: by what they are, not by a number that may belong to someone else by now.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

MARK = "GYEOL_CHILD_OF"
TOLERANCE = 0.1


@dataclass(frozen=True)
class Identity:
    """A process that is known again: its number alone may be given to another one."""

    pid: int
    created: float
    """When it was created, in seconds of a clock that is the same for all processes of the machine."""

    @classmethod
    def of(cls, pid: int) -> Identity:
        try:
            return cls(pid, _created(psutil.Process(pid)))
        except psutil.NoSuchProcess:
            return cls(pid, 0.0)

    def alive(self) -> bool:
        try:
            process = psutil.Process(self.pid)
            return process.status() != psutil.STATUS_ZOMBIE and abs(_created(process) - self.created) < TOLERANCE
        except psutil.NoSuchProcess:
            return False


def _created(process: psutil.Process) -> float:
    """Linux counts from boot. Its wall-clock equivalent moves whenever the clock is set, so that one is used elsewhere only."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return int(fields[_START_FIELD]) / os.sysconf("SC_CLK_TCK")
    except FileNotFoundError:
        return float(process.create_time())


_START_FIELD = 19
"""Position of the start time after the program's name in /proc/<pid>/stat."""


def start(argv: Sequence[str], *, home: Path, log: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Starts a child in its own process group, both outputs appended to its log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env=marked(env, home),
            start_new_session=True,
        )


def marked(env: Mapping[str, str], home: Path) -> dict[str, str]:
    """The environment of a child of this state folder. What it writes is UTF-8, whatever the terminal of this person reads."""
    ours = {"PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}
    return {**os.environ, **env, MARK: str(home), **ours}


def environment(identity: Identity) -> Mapping[str, str]:
    """The environment a process was started with; ours when it is gone, because it would be started again with ours."""
    try:
        return psutil.Process(identity.pid).environ() if identity.alive() else os.environ
    except (psutil.Error, OSError):
        return os.environ


def end_groups(identities: Iterable[Identity], *, grace: float) -> None:
    """Ends whole process groups: asks first, kills what is left after `grace` seconds."""
    living = [one for one in identities if one.alive()]
    for one in living:
        _signal_group(one.pid, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while living and time.monotonic() < deadline:
        time.sleep(0.02)
        living = [one for one in living if one.alive()]
    for one in living:
        _signal_group(one.pid, signal.SIGKILL)


def kill(one: Identity) -> None:
    """Kills a process group at once."""
    _signal_group(one.pid, signal.SIGKILL)


def leftovers(home: Path) -> list[Identity]:
    """Living processes that were started for this state folder, by whichever `gyeol`."""
    found = []
    me = psutil.Process()
    own = {me.pid, *(parent.pid for parent in me.parents())}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid not in own and process.environ().get(MARK) == str(home):
                found.append(Identity.of(process.pid))
    return found


def _signal_group(pid: int, number: signal.Signals) -> None:
    """Signals the whole group; its leader may have died before."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        group = os.getpgid(pid)
        if group == os.getpgrp():
            os.kill(pid, number)
        else:
            os.killpg(group, number)
