"""An operator at work in this process, which can be killed as a process is: at once, without a chance to clean up."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from kubernetes_asyncio.client import ApiClient

from gyeol.chassis.bus import Bus
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.run import Parts
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.kind import KINDS, Kind
from gyeol.cluster.life import Operator, configuration
from gyeol.cluster.settings import Settings
from support.kube.actor import Actor, Stage
from support.kube.estate import Estate


@dataclass
class Operation:
    """An API server, an estate and a namespace to work in."""

    estate: Estate
    namespace: str
    api: ApiClient
    stage: Stage
    settings: dict[str, Any]
    working: asyncio.Task[None] | None = None

    @property
    def cluster(self) -> Cluster:
        return Cluster(self.api)

    @contextlib.asynccontextmanager
    async def operator(self) -> AsyncIterator[asyncio.Task[None]]:
        """An operator at work; killed at the end."""
        stopping = asyncio.Event()
        with _environment(self.estate.environment):
            settings = Settings(namespace=self.namespace, lease_namespace=self.namespace, **self.settings)
        async with contextlib.AsyncExitStack() as stack:
            bus = await Bus.connect(settings, "cluster")
            stack.push_async_callback(bus.close)
            parts = Parts("cluster", settings, SystemClock(), stopping, stack, broker=bus)
            task = self.working = asyncio.create_task(Operator(settings, parts).run())
            try:
                yield task
            finally:
                stopping.set()
                task.cancel()
                with contextlib.suppress(BaseException):
                    await task

    async def submit(self, run: Object) -> Object:
        """Creates an object of ours."""
        value = {**run, "metadata": {**run["metadata"], "namespace": self.namespace}}
        return await self.cluster.apply(KINDS[value["kind"]], value, manager="person")

    async def until(self, kind: Kind, name: str, holds: Callable[[Object], bool], seconds: float = 60.0) -> Object:
        """The object once something holds of it."""
        seen: Object = {}
        try:
            async with asyncio.timeout(seconds):
                while True:
                    seen = await self.cluster.get(kind, self.namespace, name)
                    if holds(seen):
                        return seen
                    if self.working is not None and self.working.done() and not self.working.cancelled():
                        self.working.result()  # an operator that ended says why
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise AssertionError(f"{name} did not get there:\n{yaml.safe_dump(seen.get('status'))}") from None


@contextlib.asynccontextmanager
async def operation(estate: Estate, kubeconfig: Path, namespace: str, **settings: Any) -> AsyncIterator[Operation]:
    """An operation with an actor at work."""
    with _environment({"KUBECONFIG": str(kubeconfig)}):
        async with ApiClient(await configuration()) as api:
            stage = Stage(estate.artifacts)
            chosen = {"leader_election": False, "serving_mode": "Standard", **settings}
            actor = asyncio.create_task(Actor(api, namespace, stage).run())
            try:
                yield Operation(estate, namespace, api, stage, chosen)
            finally:
                actor.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await actor


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Any:
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            os.environ.pop(key, None) if value is None else os.environ.__setitem__(key, value)
