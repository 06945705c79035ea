"""The services that an operator talks to: real broker, ledger, policy and seed as processes, and a stand-in for the models' stages."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.nats import PROGRAM

TESTS = Path(__file__).parents[2]
START_SECONDS = 180.0


@dataclass(frozen=True)
class Estate:
    """Addresses."""

    nats_url: str
    ledger: str
    policy: str
    seed: str
    artifacts: Path
    """The claim, as the ledger, the operator and the actor see it."""

    @property
    def environment(self) -> dict[str, str]:
        """Settings of an operator."""
        return {
            "CLUSTER_NATS_URL": self.nats_url,
            "CLUSTER_LEDGER_ADDRESS": self.ledger,
            "CLUSTER_POLICY_ADDRESS": self.policy,
            "CLUSTER_SEED_ADDRESS": self.seed,
            "CLUSTER_JUDGE_ADDRESS": "127.0.0.1:1",
            "CLUSTER_ARTIFACTS_FOLDER": str(self.artifacts),
            "CLUSTER_ARTIFACTS_AT_LEDGER": str(self.artifacts),
            "CLUSTER_POLL_SECONDS": "0.2",
        }


@contextlib.contextmanager
def estate(folder: Path) -> Iterator[Estate]:
    """Started services, killed at the end."""
    with contextlib.ExitStack() as stack:
        port = _free_port()
        url = f"nats://127.0.0.1:{port}"
        _start(
            stack,
            folder,
            "nats",
            [str(PROGRAM), "-js", "-a", "127.0.0.1", "-p", str(port), "-sd", str(folder / "store")],
            {},
        )
        deadline = time.monotonic() + START_SECONDS
        while not _listens(port) and time.monotonic() < deadline:
            time.sleep(0.05)
        ports = {name: _free_port() for name in ("ledger", "policy", "seed")}
        addresses = {name: f"127.0.0.1:{one}" for name, one in ports.items()}
        for name, one in ports.items():
            own = {
                "PORT": str(one), "NATS_URL": url, "READY_FILE": str(folder / f"{name}.ready"), "LOG_LEVEL": "warning",
                "DATABASE_URL": f"sqlite:///{folder / 'ledger.db'}", "POLICY_ADDRESS": addresses["policy"],
                "CULTURES": str(TESTS.parent / "cultures"),
            }  # fmt: skip
            env = {f"{name.upper()}_{key}": value for key, value in own.items()}
            _start(stack, folder, name, [sys.executable, "-m", f"gyeol.{name}"], env)
        argv = [sys.executable, "-m", "support.kube.stages", url, str(folder / "stages.ready")]
        _start(stack, folder, "stages", argv, {"PYTHONPATH": str(TESTS)})
        for name in (*ports, "stages"):
            _await(folder, name)
        artifacts = folder / "artifacts"
        artifacts.mkdir()
        yield Estate(url, addresses["ledger"], addresses["policy"], addresses["seed"], artifacts)


def _start(stack: contextlib.ExitStack, folder: Path, name: str, argv: list[str], env: dict[str, str]) -> None:
    log = stack.enter_context((folder / f"{name}.log").open("ab"))
    process = subprocess.Popen(
        argv, stdout=log, stderr=log, env={**os.environ, **env}, cwd=folder, start_new_session=True
    )

    def end() -> None:
        process.kill()
        process.wait()

    stack.callback(end)


def _await(folder: Path, name: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            json.loads((folder / f"{name}.ready").read_text())
            return
        time.sleep(0.05)
    raise RuntimeError(f"{name} did not start:\n{(folder / f'{name}.log').read_text()[-3000:]}")


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.2):
        return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
