"""A real NATS server with JetStream, of its own for each test.

    async with nats_server(tmp_path) as server:
        bus = await Bus.connect(ServiceSettings(nats_url=server.url))

The fixture `nats` of `support.nats` does the same: `from support.nats import nats  # noqa: F401`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

PROGRAM = Path(sys.executable).parent / "nats-server"


class NatsServer:
    """A server process that keeps its port and its store when it is started again.

    Args:
      folder: Where it keeps its store, configuration and log.
      configuration: More lines for its configuration file, for example users.
    """

    def __init__(self, folder: Path, configuration: str = "") -> None:
        self._folder = folder
        self._configuration = configuration
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the server wrote."""
        return (self._folder / "nats.log").read_text(encoding="utf-8")

    async def start(self) -> None:
        """Starts the server and waits until it answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self.port = self.port or _free_port()
        file = self._folder / "nats.conf"
        file.write_text(
            f"""listen: "127.0.0.1:{self.port}"
jetstream {{ store_dir: "{self._folder / "store"}", sync_interval: "1s" }}
{self._configuration}
"""
        )
        with (self._folder / "nats.log").open("ab") as log:
            self._process = subprocess.Popen([PROGRAM, "-c", file], stdout=log, stderr=log)  # noqa: ASYNC220
        for _ in range(400):
            if self._process.poll() is not None:
                raise RuntimeError(f"nats-server ended with {self._process.returncode}:\n{self.log}")
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), timeout=0.2).close()
                return
            await asyncio.sleep(0.025)
        raise RuntimeError(f"nats-server did not answer within ten seconds:\n{self.log}")

    async def stop(self) -> None:
        """Ends the server as an operator would."""
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """Ends the server as a crash would."""
        await self._end(signal.SIGKILL)

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def freeze(self) -> None:
        """Lets the server hang: its connections stay open and nothing answers."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    async def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGCONT)
            self._process.send_signal(number)
        await asyncio.to_thread(self._process.wait)
        self._process = None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.asynccontextmanager
async def nats_server(folder: Path, configuration: str = "") -> AsyncIterator[NatsServer]:
    """A started server, killed at the end."""
    server = NatsServer(folder / "nats", configuration)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


@pytest_asyncio.fixture
async def nats(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with nats_server(tmp_path) as server:
        yield server
