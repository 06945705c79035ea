"""Runs `store.parquet` in a process of its own, which takes its memory with it when it is done.

`subprocess` starts it, in a thread, and not the loop of the ledger: uvloop forks, so that handlers of Python and of gRPC run in
the child before it becomes another program. While calls come in, gRPC's own now and then end it there with SIGSEGV (about one
child in a hundred, grpcio 1.85). `subprocess` takes vfork, in which nobody's handler runs.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Final, Literal

import stamina

from gyeol.chassis.errors import NotReadyError

UNREADABLE: Final = 65
"""Exit status for content that cannot be read (EX_DATAERR). Any other failure says nothing about the content."""

_ATTEMPTS: Final = 2
_SECONDS: Final = 240.0
"""A shard takes one; whoever asked waits for 300."""


async def pressed(lines: bytes) -> bytes:
    """JSON lines as one Parquet file.

    Raises:
      NotReadyError: The process was killed, or could not start.
    """
    return await asyncio.to_thread(_run, "write", lines)


async def unpressed(content: bytes) -> bytes:
    """The rows of a Parquet file as JSON lines.

    Raises:
      ValueError: It cannot be read.
      NotReadyError: The process was killed, or could not start: nothing is known about the content.
    """
    return await asyncio.to_thread(_run, "read", content)


@stamina.retry(on=NotReadyError, attempts=_ATTEMPTS, timeout=None, wait_initial=0.2)
def _run(work: Literal["write", "read"], given: bytes) -> bytes:
    command = (sys.executable, "-m", "gyeol.ledger.store.parquet", work)
    try:
        process = subprocess.run(command, input=given, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _failure(work, f"took more than {_SECONDS:g} s") from None
    except OSError as error:
        raise _failure(work, f"cannot be started ({error.strerror})") from error
    if process.returncode == 0:
        return process.stdout
    said = "".join(process.stderr.decode(errors="replace").strip().splitlines()[-1:])
    if process.returncode == UNREADABLE:
        raise ValueError(said)
    raise _failure(work, f"ended with status {process.returncode} ({said or 'it said nothing'})")


def _failure(work: str, what: str) -> NotReadyError:
    return NotReadyError(f"the process that {work}s Parquet {what}: try again, with more memory if it was killed")
