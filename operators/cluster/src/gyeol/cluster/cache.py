"""What is known of the objects the operator made, kept up by list and watch.

A watch can end, fall silent or be told that it is too old.
So every stream has an end, silence is noticed by missing bookmarks, and everything is listed anew from time to time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from prometheus_client import Counter, Gauge

from gyeol.chassis import logs
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.errors import GoneError, KindMissingError, RefusedError, StaleError, UnreachableError
from gyeol.cluster.kind import Kind
from gyeol.reconcile.manifest.name import MANAGER, UID_LABEL

SELECTOR = f"app.kubernetes.io/managed-by={MANAGER}"
WATCH_SECONDS = (240, 300)
"""A stream ends after a random time in between, so that not all do at once."""
SILENCE_SECONDS = 90.0
"""Bookmarks come about once a minute; a stream that says nothing for longer is dead."""
ABSENT_SECONDS = 60.0
"""How often a kind that is not installed is looked for."""

_log = logs.get()
_AGE = Gauge(
    "gyeol_cluster_watch_age_seconds", "Seconds since a watch last said anything, bookmarks included.", ["kind"]
)
_LISTS = Counter("gyeol_cluster_lists", "Times a kind was listed anew.", ["kind"])


@dataclass
class Shelf:
    """The objects of one kind."""

    kind: Kind
    objects: dict[tuple[str, str], Object] = field(default_factory=dict)
    installed: bool = False
    listed: asyncio.Event = field(default_factory=asyncio.Event)
    heard_at: float = 0.0


class Cache:
    """Objects of the kinds that the operator makes.

    Args:
      cluster: The API server.
      kinds: Kinds.
      namespace: Namespace to watch; empty: all.
      changed: Told the namespace and UID of the owner whenever an object of his changes.
    """

    def __init__(
        self, cluster: Cluster, kinds: tuple[Kind, ...], namespace: str, changed: Callable[[str, str], None]
    ) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._changed = changed
        self._shelves = {kind: Shelf(kind) for kind in kinds}

    def get(self, kind: Kind, namespace: str, name: str) -> Object | None:
        return self._shelves[kind].objects.get((namespace, name))

    def installed(self, kind: Kind) -> bool:
        return self._shelves[kind].installed

    def put(self, kind: Kind, value: Object) -> None:
        """Remembers what was just written, before the watch tells of it."""
        self._keep(self._shelves[kind], value)

    def drop(self, kind: Kind, value: Object) -> None:
        """Forgets what was just deleted."""
        metadata = value["metadata"]
        self._shelves[kind].objects.pop((metadata["namespace"], metadata["name"]), None)

    async def ready(self) -> None:
        """Returns when every kind was listed once."""
        for shelf in self._shelves.values():
            await shelf.listed.wait()

    async def run(self) -> None:
        """Watches until cancelled."""
        async with asyncio.TaskGroup() as group:
            for shelf in self._shelves.values():
                group.create_task(self._kept_up(shelf))
            group.create_task(self._aged())

    async def _aged(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            for shelf in self._shelves.values():
                if shelf.installed:
                    _AGE.labels(shelf.kind.plural).set(loop.time() - shelf.heard_at)
            await asyncio.sleep(5)

    async def _kept_up(self, shelf: Shelf) -> None:
        pause = 1.0
        while True:
            try:
                version = await self._listed(shelf)
                pause = 1.0
                while version:
                    version = await self._watched(shelf, version)
            except (GoneError, KindMissingError, RefusedError) as error:
                if shelf.installed or not shelf.listed.is_set():
                    _log.warning("kind_not_watched", kind=shelf.kind.name, reason=str(error))
                shelf.installed = False
                shelf.listed.set()
                await asyncio.sleep(ABSENT_SECONDS)
            except (UnreachableError, StaleError) as error:
                _log.warning("watch_broken", kind=shelf.kind.name, reason=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, 30.0)

    async def _listed(self, shelf: Shelf) -> str:
        found, version = await self._cluster.list(shelf.kind, self._namespace, SELECTOR)
        _LISTS.labels(shelf.kind.plural).inc()
        shelf.installed, shelf.heard_at = True, asyncio.get_running_loop().time()
        names = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in found}
        for key in shelf.objects.keys() - names:
            self._forget(shelf, shelf.objects[key])
        for one in found:
            self._keep(shelf, one)
        shelf.listed.set()
        return version

    async def _watched(self, shelf: Shelf, version: str) -> str:
        """One stream; the version to go on from, or nothing when everything has to be listed anew."""
        loop = asyncio.get_running_loop()
        began, seconds = loop.time(), random.randint(*WATCH_SECONDS)  # noqa: S311
        stream = self._cluster.watch(shelf.kind, self._namespace, SELECTOR, version, seconds).__aiter__()
        while True:
            try:
                async with asyncio.timeout(SILENCE_SECONDS):
                    event = await anext(stream)
            except StopAsyncIteration:
                if loop.time() - began < 1.0:
                    await asyncio.sleep(1.0)
                return version
            except TimeoutError:
                _log.warning("watch_silent", kind=shelf.kind.name)
                await stream.aclose()  # type: ignore[attr-defined]
                return ""
            except (ConnectionError, OSError, ValueError) as error:
                raise UnreachableError(str(error)) from error
            shelf.heard_at = loop.time()
            value = event["object"]
            if event["type"] == "ERROR":
                _log.info("watch_too_old", kind=shelf.kind.name, code=value.get("code"))
                return ""
            version = value["metadata"]["resourceVersion"]
            if event["type"] == "DELETED":
                self._forget(shelf, value)
            elif event["type"] != "BOOKMARK":
                self._keep(shelf, value)

    def _keep(self, shelf: Shelf, value: Object) -> None:
        metadata = value["metadata"]
        key = (metadata["namespace"], metadata["name"])
        before = shelf.objects.get(key)
        if before is not None and not newer(value, before):
            return
        metadata.pop("managedFields", None)  # half of an object's size, and nobody reads it
        shelf.objects[key] = value
        if before is None or before != value:
            self._tell(metadata)

    def _forget(self, shelf: Shelf, value: Object) -> None:
        metadata = value["metadata"]
        known = shelf.objects.get((metadata["namespace"], metadata["name"]))
        if known is not None and known["metadata"]["uid"] == metadata["uid"]:
            del shelf.objects[(metadata["namespace"], metadata["name"])]
            self._tell(metadata)

    def _tell(self, metadata: Mapping[str, object]) -> None:
        labels = metadata.get("labels") or {}
        if isinstance(labels, dict) and labels.get(UID_LABEL):
            self._changed(str(metadata["namespace"]), labels[UID_LABEL])


def newer(value: Object, before: Object) -> bool:
    """Whether an object is a later state than the known one, or another object under its name."""
    one, other = value["metadata"], before["metadata"]
    if one["uid"] != other["uid"]:
        return bool(one.get("creationTimestamp", "") >= other.get("creationTimestamp", ""))
    return int(one["resourceVersion"]) >= int(other["resourceVersion"])
