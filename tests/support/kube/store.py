"""Objects, their versions, and who is told of changes."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from support.kube.apply import Owner
from support.kube.resource import Resource

Key = tuple[str, str]
"""Namespace and name."""


@dataclass
class Change:
    """One thing that happened."""

    version: int
    type: str
    value: dict[str, Any]
    before: dict[str, Any] | None


@dataclass
class Shelf:
    """The objects of one kind."""

    objects: dict[Key, dict[str, Any]] = field(default_factory=dict)
    owners: dict[Key, list[Owner]] = field(default_factory=dict)
    history: deque[Change] = field(default_factory=deque)
    forgotten: int = 0
    """Changes up to here are gone from the history."""
    watchers: set[asyncio.Queue[Change | None]] = field(default_factory=set)

    def cut(self) -> None:
        """Ends every watch."""
        for queue in self.watchers:
            queue.put_nowait(None)


class Store:
    """Everything the server keeps."""

    def __init__(self, history: int) -> None:
        self.version = 100
        self._shelves: dict[tuple[str, str], Shelf] = {}
        self._history = history
        self.rehearsing = False
        """Nothing is kept: what is asked is only to be judged."""

    @contextlib.contextmanager
    def rehearsal(self, wanted: bool) -> Iterator[None]:
        """`dryRun=All` as long as it lasts, if it is wanted."""
        self.rehearsing = wanted
        try:
            yield
        finally:
            self.rehearsing = False

    def shelf(self, resource: Resource) -> Shelf:
        return self._shelves.setdefault(resource.store, Shelf())

    def put(self, resource: Resource, value: dict[str, Any], owners: list[Owner]) -> dict[str, Any]:
        """Stores an object as the next version and tells everybody. Nobody changes it afterwards: the next version is another one."""
        shelf, metadata = self.shelf(resource), value["metadata"]
        key = (metadata.get("namespace", ""), metadata["name"])
        before = shelf.objects.get(key)
        if self.rehearsing:
            metadata.pop("resourceVersion", None)
            return {
                **value,
                "metadata": metadata | ({"resourceVersion": before["metadata"]["resourceVersion"]} if before else {}),
            }
        self.version += 1
        metadata["resourceVersion"] = str(self.version)
        shelf.objects[key], shelf.owners[key] = value, owners
        self._tell(shelf, Change(self.version, "MODIFIED" if before else "ADDED", value, before))
        return value

    def remove(self, resource: Resource, key: Key) -> None:
        if self.rehearsing:
            return
        shelf = self.shelf(resource)
        value = shelf.objects.pop(key)
        shelf.owners.pop(key, None)
        self.version += 1
        gone = {**value, "metadata": {**value["metadata"], "resourceVersion": str(self.version)}}
        self._tell(shelf, Change(self.version, "DELETED", gone, value))

    def forget(self) -> None:
        """Compacts: whoever asks for changes since an older version is told that they are gone."""
        for shelf in self._shelves.values():
            shelf.forgotten = self.version
            shelf.history.clear()

    def cut(self) -> None:
        """Ends every watch."""
        for shelf in self._shelves.values():
            shelf.cut()

    def dependents(self, uid: str) -> list[tuple[tuple[str, str], Key]]:
        """Objects that name the UID as an owner."""
        return [
            (place, key)
            for place, shelf in self._shelves.items()
            for key, value in shelf.objects.items()
            if any(one.get("uid") == uid for one in value["metadata"].get("ownerReferences") or [])
        ]

    def holds(self, uid: str) -> bool:
        return any(
            value["metadata"]["uid"] == uid for shelf in self._shelves.values() for value in shelf.objects.values()
        )

    def _tell(self, shelf: Shelf, change: Change) -> None:
        shelf.history.append(change)
        while len(shelf.history) > self._history:
            shelf.forgotten = shelf.history.popleft().version
        for queue in shelf.watchers:
            queue.put_nowait(change)


def born(value: Mapping[str, Any], namespace: str) -> dict[str, Any]:
    """A new object with what the server gives it."""
    metadata = copy.deepcopy(dict(value.get("metadata") or {}))
    made = {**value, "metadata": metadata}
    if namespace:
        metadata["namespace"] = namespace
    if "name" not in metadata and "generateName" in metadata:
        metadata["name"] = metadata["generateName"] + uuid.uuid4().hex[:5]
    metadata.update(uid=str(uuid.uuid4()), creationTimestamp=now(), generation=1)
    return made


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
