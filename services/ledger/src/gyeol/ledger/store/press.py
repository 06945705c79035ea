"""Runs `store.parquet` in a process of its own, which takes its memory with it when it is done."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from typing import Literal


async def pressed(lines: bytes) -> bytes:
    """JSON lines as one Parquet file."""
    return await _run("write", lines)


async def unpressed(content: bytes) -> bytes:
    """The rows of a Parquet file as JSON lines.

    Raises:
      ValueError: It cannot be read.
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
    if process.returncode != 0:
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        raise ValueError(last[0] if last else f"the process ended with {process.returncode}")
    return made
