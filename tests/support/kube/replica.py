"""Operators as processes of their own, to be killed as a node that goes down kills them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from gyeol.cluster.errors import ClusterError
from gyeol.cluster.leader import LEASE
from support.kube.operation import Operation
from support.kube.tenancy import LEASE as KIND

SECONDS = 8
"""How long a leader that says nothing stays leader: short, but not too short for a machine with much else to do."""

NAMES = ("operator-a", "operator-b")


class Replicas:
    """Operators of one installation. One that ends is started again, as the kubelet does, unless it was killed here.

    Args:
      operation: Where they work.
      log: File for what they say.
      names: Their names.
      settings: Environment beside what each of them gets.
    """

    def __init__(self, operation: Operation, log: Path, names: tuple[str, ...] = NAMES, **settings: str) -> None:
        self._operation = operation
        self._log = log
        self._names = names
        self._settings = settings
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self._kubelet: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Replicas:
        for name in self._names:
            self.running[name] = self._start(name)
        self._kubelet = asyncio.create_task(self._keep_up())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._kubelet is not None:
            self._kubelet.cancel()
        for name in list(self.running):
            self._end(name)
        if error is not None:
            sys.stdout.write(self._log.read_text(errors="replace")[-8000:])

    async def leader(self) -> str:
        """Name of the operator that holds the lease; empty while nobody does."""
        try:
            lease = await self._operation.cluster.get(KIND, self._operation.namespace, LEASE)
        except ClusterError:
            return ""
        holder = str(lease["spec"].get("holderIdentity") or "")
        return next((name for name in self._names if holder.startswith(name)), "")

    async def kill_leader(self) -> str:
        """Kills the leader without a chance to clean up; its name."""
        async with asyncio.timeout(240):
            while not (name := await self.leader()):  # noqa: ASYNC110  (another process takes the lease)
                await asyncio.sleep(0.1)
        self._end(name)
        return name

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        room = self._operation.namespace
        settings: dict[str, Any] = {
            "POD_NAME": name,
            "CLUSTER_NAMESPACE": room,
            "CLUSTER_LEASE_NAMESPACE": room,
            "CLUSTER_LEASE_SECONDS": str(SECONDS),
            "CLUSTER_SERVING_MODE": "Standard",
            **self._settings,
        }
        env = {**os.environ, **self._operation.estate.environment, **settings}
        with self._log.open("ab") as log:
            return subprocess.Popen([sys.executable, "-m", "gyeol.cluster"], env=env, stdout=log, stderr=log)

    def _end(self, name: str) -> None:
        process = self.running.pop(name)
        process.kill()
        process.wait()

    async def _keep_up(self) -> None:
        while True:
            for name, process in list(self.running.items()):
                if process.poll() is not None:
                    self.running[name] = self._start(name)
            await asyncio.sleep(0.2)
