"""One run at a time in one state folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from filelock import FileLock, Timeout

from gyeol.local.errors import BusyError
from gyeol.local.home import Home


@contextlib.contextmanager
def held(home: Home, what: str) -> Iterator[None]:
    """Holds the state folder for a run. The operating system lets go of the lock when the process dies, however it dies.

    Raises:
      BusyError: Another `gyeol` holds it.
    """
    home.path.mkdir(parents=True, exist_ok=True)
    note = home.path / "run.holder"
    try:
        with FileLock(home.lock("run"), timeout=0):
            note.write_text(f"{what} (pid {os.getpid()})", encoding="utf-8")
            yield
    except Timeout:
        raise BusyError(
            f"{holder(home)} is using {home.path}; wait until it ends, or set GYEOL_HOME to another folder"
        ) from None


def is_held(home: Home) -> bool:
    """True while a run holds the state folder."""
    if not home.lock("run").exists():
        return False
    try:
        with FileLock(home.lock("run"), timeout=0):
            return False
    except Timeout:
        return True


def holder(home: Home) -> str:
    note = home.path / "run.holder"
    return note.read_text(encoding="utf-8") if note.exists() else "another gyeol"
