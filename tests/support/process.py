"""A service as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Service:
    """A started service."""

    process: asyncio.subprocess.Process
    port: int

    @property
    def resident_bytes(self) -> int:
        """What it holds in memory now."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    async def stop(self) -> int:
        """Ends it as an operator would; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 30)


@contextlib.asynccontextmanager
async def service(name: str, folder: Path, nats_url: str, **settings: str) -> AsyncIterator[Service]:
    """Starts `python -m gyeol.<name>` and waits until it says that it serves."""
    ready = folder / f"{name}.ready"
    prefix = name.upper()
    environ = {f"{prefix}_{key.upper()}": value for key, value in settings.items()}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        f"gyeol.{name}",
        env={**os.environ, f"{prefix}_NATS_URL": nats_url, f"{prefix}_READY_FILE": str(ready), **environ},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60):
            while not ready.exists():
                assert process.returncode is None, f"{name} ended with {process.returncode} before it served"
                await asyncio.sleep(0.02)
        yield Service(process, json.loads(ready.read_text(encoding="utf-8"))["port"])
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
