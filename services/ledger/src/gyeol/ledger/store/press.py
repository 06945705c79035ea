"""Runs `store.parquet` in a process of its own, which takes its memory with it when it is done."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from typing import Final, Literal

from gyeol.chassis.errors import NotReadyError

UNREADABLE: Final = 65
"""Exit status for content that cannot be read (EX_DATAERR). Any other failure says nothing about the content."""


async def pressed(lines: bytes) -> bytes:
    """JSON lines as one Parquet file.

    Raises:
      NotReadyError: The process was killed, or could not start.
    """
    return await _run("write", lines)


async def unpressed(content: bytes) -> bytes:
    """The rows of a Parquet file as JSON lines.

    Raises:
      ValueError: It cannot be read.
      NotReadyError: The process was killed, or could not start: nothing is known about the content.
    """
    return await _run("read", content)


async def _run(work: Literal["write", "read"], given: bytes) -> bytes:
    command = (sys.executable, "-m", "gyeol.ledger.store.parquet", work)
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    try:
        made, said = await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode == 0:
        return made
    last = "".join(said.decode(errors="replace").strip().splitlines()[-1:])
    if process.returncode == UNREADABLE:
        raise ValueError(last)
    raise NotReadyError(
        f"the process that {work}s Parquet ended with status {process.returncode} ({last or 'it said nothing'}): "
        "try again, with more memory if it was killed"
    )
