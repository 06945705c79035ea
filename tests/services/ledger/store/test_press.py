"""Parquet is written and read by a process of its own, whose death is not taken for damage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gyeol.chassis.errors import NotReadyError
from gyeol.ledger.store.press import pressed, unpressed

MORTAL = """
import os, pathlib, signal
deaths = pathlib.Path(os.environ["DEATHS"])
left = int(deaths.read_text())
if left:
    deaths.write_text(str(left - 1))
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""What each Python runs as it starts: the first few are killed."""

GUARDED = """
import os, uvloop
from gyeol.ledger.store.press import unpressed

os.register_at_fork(after_in_child=lambda: os.abort())

async def read():
    try:
        await unpressed(b"PAR1 but nothing else")
    except ValueError as error:
        print(error)

uvloop.run(read())
"""
"""A service in which something is fatal to a fork, as gRPC's threads are now and then."""


async def test_content_that_is_no_parquet_is_named_unreadable() -> None:
    with pytest.raises(ValueError, match="not readable as Parquet"):
        await unpressed(b"PAR1 but nothing else")


async def test_a_process_that_cannot_run_says_nothing_about_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    with pytest.raises(NotReadyError, match="ended with status"):
        await unpressed(b"whatever")
    with pytest.raises(NotReadyError, match="try again"):
        await pressed(b"x" * 2**20)  # more than a pipe takes: nobody has read it


async def test_a_process_that_is_killed_once_is_started_again_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(MORTAL)
    deaths = tmp_path / "deaths"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("DEATHS", str(deaths))
    deaths.write_text("1")
    with pytest.raises(ValueError, match="not readable as Parquet"):
        await unpressed(b"PAR1 but nothing else")
    deaths.write_text("9")
    with pytest.raises(NotReadyError, match=r"status -9 .* try again"):
        await unpressed(b"PAR1 but nothing else")


def test_nothing_of_a_service_runs_in_the_process_before_it_is_a_program_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", GUARDED], capture_output=True, text=True, check=False)
    assert "not readable as Parquet" in done.stdout, done.stderr
