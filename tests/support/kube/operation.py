"""An operator at work in this process, which can be killed as a process is: at once, without a chance to clean up."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from kubernetes_asyncio.client import ApiClient
from prometheus_client import REGISTRY

from gyeol.chassis.bus import Bus
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.run import Parts
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.errors import GoneError, UnreachableError
from gyeol.cluster.kind import ALIGNMENT_RUN, KINDS, Kind
from gyeol.cluster.life import Operator, configuration
from gyeol.cluster.settings import Settings
from support.kube.actor import Actor, Stage
from support.kube.estate import Estate


class MovedClock(SystemClock):
    """The clock of the machine, moved ahead by a test that will not wait."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


@dataclass
class Operation:
    """An API server, an estate and a namespace to work in."""

    estate: Estate
    kubeconfig: Path
    """Whose bearer may do everything; the operator has an account of its own."""
    account: Path
    namespace: str
    api: ApiClient
    stage: Stage
    settings: dict[str, Any]
    clock: MovedClock = field(default_factory=MovedClock)
    playing: asyncio.Task[None] | None = None
    working: asyncio.Task[None] | None = None
    worker: Operator | None = None

    @property
    def cluster(self) -> Cluster:
        return Cluster(self.api)

    @contextlib.asynccontextmanager
    async def operator(self) -> AsyncIterator[asyncio.Task[None]]:
        """An operator at work; killed at the end."""
        stopping = asyncio.Event()
        with environment(self.estate.environment):
            settings = Settings(namespace=self.namespace, lease_namespace=self.namespace, **self.settings)
        async with contextlib.AsyncExitStack() as stack:
            bus = await Bus.connect(settings, "cluster")
            stack.push_async_callback(bus.close)
            parts = Parts("cluster", settings, self.clock, stopping, stack, broker=bus)
            stack.enter_context(environment({"KUBECONFIG": str(self.account)}))
            self.worker = Operator(settings, parts)
            task = self.working = asyncio.create_task(self.worker.run())
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

    async def looked(self, kind: Kind = ALIGNMENT_RUN, times: int = 3) -> None:
        """Returns when the operator has looked at objects of a kind so often again."""
        labels = {"kind": kind.plural}
        count = lambda: REGISTRY.get_sample_value("gyeol_cluster_reconcile_seconds_count", labels) or 0.0  # noqa: E731
        before = count()
        await self.came(lambda: count() >= before + times)

    async def acted(self, times: int = 3) -> None:
        """Returns when the actor has gone round so often again."""
        before = self.stage.turns
        await self.came(lambda: self.stage.turns >= before + times)

    async def came(self, holds: Callable[[], bool], seconds: float = 240.0) -> None:
        """Returns once something holds; raises what the actor or the operator ended with."""
        async with asyncio.timeout(seconds):
            while not holds():
                self._alive()
                await asyncio.sleep(0.02)

    def _alive(self) -> None:
        for task in filter(None, (self.playing, self.working)):
            if task.done() and not task.cancelled():
                task.result()

    async def until(self, kind: Kind, name: str, holds: Callable[[Object], bool], seconds: float = 240.0) -> Object:
        """The object once something holds of it. The time is for the slowest machine; nothing is measured by it."""
        seen: Object = {}
        try:
            async with asyncio.timeout(seconds):
                while True:
                    with contextlib.suppress(UnreachableError, GoneError):
                        seen = await self.cluster.get(kind, self.namespace, name)
                    if seen and holds(seen):
                        return seen
                    self._alive()
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{name} did not get there:\n{yaml.safe_dump(seen.get('status'))}") from None


@contextlib.asynccontextmanager
async def operation(
    estate: Estate, kubeconfig: Path, account: Path, namespace: str, **settings: Any
) -> AsyncIterator[Operation]:
    """An operation with an actor at work."""
    with environment({"KUBECONFIG": str(kubeconfig)}):
        async with ApiClient(await configuration()) as api:
            stage = Stage(estate.artifacts)
            chosen = {"leader_election": False, "serving_mode": "Standard", **settings}
            actor = asyncio.create_task(Actor(api, namespace, stage).run())
            try:
                yield Operation(estate, kubeconfig, account, namespace, api, stage, chosen, playing=actor)
            finally:
                actor.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await actor


@contextlib.contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """Variables set for a while."""
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            os.environ.pop(key, None) if value is None else os.environ.__setitem__(key, value)
