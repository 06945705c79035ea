"""A real PostgreSQL server, of its own for a test session, with an empty database for each test.

The server programs refuse to run as root, so they run as a user that may do nothing else.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

_USER = "nobody"


def programs() -> Path | None:
    """The folder of the server programs, or None where they are not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


class PostgresServer:
    """A server without durability: it lives as long as the tests."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self._data = folder / "data"
        self._sockets = folder / "s"
        self._binaries = binaries
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    def start(self) -> None:
        self._sockets.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self._sockets.parent, _USER)
            shutil.chown(self._sockets, _USER)
        self._run("initdb", "-D", str(self._data), "-U", "gyeol", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        options = f"-p {self.port} -k {self._sockets} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=60"
        self._run("pg_ctl", "-D", str(self._data), "-o", options, "-l", str(self._data / "log"), "-w", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")

    def database(self) -> str:
        """Empties the database and returns its URL. Emptying is ten times faster than creating another one."""
        self.disconnect_all()
        with self._admin() as admin:
            admin.execute("DROP SCHEMA public CASCADE")
            admin.execute("CREATE SCHEMA public")
        return f"postgresql://gyeol@127.0.0.1:{self.port}/postgres"

    def disconnect_all(self) -> None:
        """Breaks every connection, as a restart of the server would."""
        with self._admin() as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )

    def _admin(self) -> psycopg.Connection[Any]:
        return psycopg.connect(f"host=127.0.0.1 port={self.port} user=gyeol dbname=postgres", autocommit=True)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", f"--reuid={_USER}", "--regid=nogroup", "--clear-groups", *command]
        done = subprocess.run(
            command,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    binaries = programs()
    if binaries is None:
        pytest.skip("the PostgreSQL server programs are not installed")
    # A socket's path must be short, and the parents of pytest's own folders are closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="gyeol-pg-"))
    folder.chmod(0o755)
    server = PostgresServer(folder, binaries)
    try:
        server.start()
        yield server
    finally:
        with contextlib.suppress(RuntimeError):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
