"""A command that was told to end, ends with its own status, whatever it is told on its way out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STOPPED_TWICE = """
import asyncio, atexit, os, signal, sys
from pathlib import Path
import typer
from gyeol.local.home import Home
from gyeol.local.terminal import interruptible

atexit.register(lambda: os.kill(os.getpid(), signal.SIGTERM))

async def work():
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(60)

try:
    interruptible(work, Home(Path(sys.argv[1])), print)
except typer.Exit as ended:
    sys.exit(ended.exit_code)
"""


def test_a_signal_that_comes_after_everything_was_stopped_does_not_change_the_status(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_TWICE, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 130, done.stderr
    assert "the same command goes on" in done.stdout
