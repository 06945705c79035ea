"""The reconcile loop: objects of ours as kopf tells of them, a queue, and workers that look at one object at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import grpc.aio
from prometheus_client import Counter, Gauge, Histogram

from gyeol.chassis import logs
from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.chassis.outcomes import meaning_of
from gyeol.cluster.cache import newer
from gyeol.cluster.client import Object
from gyeol.cluster.kind import Kind
from gyeol.cluster.queue import Queue
from gyeol.cluster.reporter import Reporter
from gyeol.reconcile.plan import Event

Key = tuple[str, str]
"""Plural and UID."""
Reconcile = Callable[[Object], Awaitable[tuple[Object, float | None]]]
"""Looks at an object once; the object afterwards, and the seconds until the next look."""
LOOK_SECONDS = 900.0
"""A look that takes longer hangs; the longest thing it waits for is the ledger that seals a dataset."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 300.0

_log = logs.get()
_SECONDS = Histogram(
    "gyeol_cluster_reconcile_seconds",
    "Seconds of one look at an object.",
    ["kind"],
    buckets=(0.005, 0.02, 0.1, 0.5, 1, 2, 5, 30),
)
_FAILURES = Counter("gyeol_cluster_reconcile_failures", "Looks that ended in an error.", ["kind", "meaning"])
_WAITING = Gauge("gyeol_cluster_queue", "Objects that are due or will be.")
_LAST = Gauge("gyeol_cluster_last_reconcile", "Unix time of the last look that went well.")


@dataclass(frozen=True)
class Trade:
    """How one kind is reconciled."""

    kind: Kind
    reconcile: Reconcile
    forget: Callable[[Object], None] = lambda _: None


@dataclass
class Desk:
    """Objects of ours and what is to be done about them.

    Args:
      trades: Kinds, by plural.
      reporter: Tells people why nothing moves.
      resync_seconds: Every object is looked at again after so long.
    """

    trades: Mapping[str, Trade]
    reporter: Reporter
    resync_seconds: float
    objects: dict[Key, Object] = field(default_factory=dict)
    queue: Queue[Key] = field(default_factory=Queue)
    _failures: dict[Key, int] = field(default_factory=dict)

    def heard(self, plural: str, type_: str | None, value: Object) -> None:
        """Takes an event of a watch."""
        key = (plural, value["metadata"]["uid"])
        if type_ == "DELETED":
            gone = self.objects.pop(key, None)
            self.queue.discard(key)
            self._failures.pop(key, None)
            if gone is not None:
                self.trades[plural].forget(gone)
                self.reporter.forget(key[1])
            return
        before = self.objects.get(key)
        if before is not None and not newer(value, before):
            return
        self.objects[key] = slim(value)
        if before is None or _asked(before) != _asked(value):
            self.queue.add(key)

    def vanished(self, plural: str) -> None:
        """Takes word that a kind is gone, and every object with it."""
        for key, value in list(self.objects.items()):
            if key[0] == plural:
                self.heard(plural, "DELETED", value)

    def child_changed(self, _: str, uid: str) -> None:
        """Takes word of an object that one of ours owns."""
        for plural in self.trades:
            if (plural, uid) in self.objects:
                self.queue.add((plural, uid))

    async def run(self, workers: int) -> None:
        """Works until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._work())
            group.create_task(self._resync())

    async def _resync(self) -> None:
        while True:
            await asyncio.sleep(self.resync_seconds)
            for number, key in enumerate(list(self.objects)):
                self.queue.add(key, number * 0.01)  # not all at once

    async def _work(self) -> None:
        while True:
            key = await self.queue.get()
            try:
                await self._look(key)
            finally:
                self.queue.done(key)
                _WAITING.set(len(self.queue))

    async def _look(self, key: Key) -> None:
        current, trade = self.objects.get(key), self.trades[key[0]]
        if current is None:
            return
        try:
            with _SECONDS.labels(key[0]).time():
                async with asyncio.timeout(LOOK_SECONDS):
                    after, wait = await trade.reconcile(current)
        except (GyeolError, grpc.aio.AioRpcError, OSError, TimeoutError) as error:
            await self._failed(key, current, error)
            return
        except Exception as error:
            _log.error("reconcile_broken", kind=key[0], name=current["metadata"]["name"], exc_info=error)
            await self._failed(key, current, error)
            return
        self._failures.pop(key, None)
        _LAST.set_to_current_time()
        known = self.objects.get(key)
        if known is not None and after is not current and newer(after, known):
            self.objects[key] = slim(after)
        if wait is not None and known is not None:
            self.queue.add(key, wait)

    async def _failed(self, key: Key, current: Object, error: Exception) -> None:
        meaning = meaning_of(error)
        _FAILURES.labels(key[0], meaning.name).inc()
        count = self._failures[key] = self._failures.get(key, 0) + 1
        if meaning is Meaning.CONFLICT:
            self.queue.add(key, FIRST_PAUSE)  # the watch tells of the newer object
            return
        said = error.details() if isinstance(error, grpc.aio.AioRpcError) else str(error)
        _log.warning(
            "reconcile_failed",
            kind=key[0],
            name=current["metadata"]["name"],
            meaning=meaning.name,
            error=said,
            count=count,
        )
        if count == 3:
            event = Event("Warning", "CannotReconcile", f"tried again until it works: {said}")
            await self.reporter.tell(current, [event], datetime.now(UTC))
        self.queue.add(key, min(FIRST_PAUSE * 2 ** min(count, 10), LONGEST_PAUSE))


def slim(value: Object) -> Object:
    """The object without what nobody here reads: half of its size."""
    metadata = {key: one for key, one in value["metadata"].items() if key != "managedFields"}
    notes = metadata.get("annotations")
    if notes:
        metadata["annotations"] = {
            key: one for key, one in notes.items() if key != "kubectl.kubernetes.io/last-applied-configuration"
        }
    return {**value, "metadata": metadata}


def _asked(value: Object) -> tuple[object, ...]:
    """What a person can change: our own status does not wake us."""
    metadata = value["metadata"]
    notes = {key: one for key, one in (metadata.get("annotations") or {}).items() if key.startswith("gyeol.dev/")}
    return metadata["generation"], metadata.get("deletionTimestamp"), notes
