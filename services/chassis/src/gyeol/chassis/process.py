"""The operating system's view of a service."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_M_ARENA_MAX: Final = -8


def limit_arenas(count: int = 2) -> None:
    """Keeps glibc from giving every thread a heap of its own, which a service with few busy threads only pays for."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, count)


@contextlib.contextmanager
def announced(file: Path | None, port: int, metrics_port: int) -> Iterator[None]:
    """Tells by a file that the service serves, and where; the file is gone when it stops.

    What was made while starting lives as long as the process: the garbage collector need not look at it again.
    """
    gc.collect()
    gc.freeze()
    if file is None:
        yield
        return
    scratch = file.with_name(file.name + ".part")
    scratch.write_text(json.dumps({"pid": os.getpid(), "port": port, "metrics_port": metrics_port}))
    scratch.replace(file)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


class Signals:
    """SIGTERM and SIGINT.

    The first lets work in hand finish. A service that still starts, or that is told twice, ends at once.
    """

    def __init__(self) -> None:
        self.stopping = asyncio.Event()
        """Set by the first signal."""
        self.started = False
        """Whether the service serves."""

    def obeyed_by(self, life: asyncio.Task[Any]) -> None:
        """Connects the signals with the task that is the life of the service."""

        def stop() -> None:
            if self.stopping.is_set() or not self.started:
                life.cancel()
            self.stopping.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop)
