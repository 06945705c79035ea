"""Says what is known: the status, once and only when it is another one; and events, each once however often it is told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from gyeol.chassis import logs
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.errors import ClusterError
from gyeol.cluster.kind import EVENT, Kind
from gyeol.reconcile.condition import shortened, timestamp
from gyeol.reconcile.manifest.name import MANAGER
from gyeol.reconcile.plan import Event
from gyeol.reconcile.schema import Described

_KEYS = ("type", "name", "metric")

_log = logs.get()


class Reporter:
    """Writes statuses and events."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._told: dict[str, set[str]] = {}

    async def store(self, kind: Kind, current: Object, status: Described) -> Object:
        """Writes the status if it differs; the object as it is afterwards.

        Raises:
          StaleError: The object is not the one the status was made from.
        """
        value = status.model_dump(mode="json", by_alias=True, exclude_none=True)
        if _ordered(value) == _ordered(current.get("status") or {}):
            return current
        return await self._cluster.apply_status(kind, current, value)

    async def tell(self, current: Object, events: Iterable[Event], now: datetime) -> None:
        """Tells events. One that cannot be told is logged and lost: nothing depends on it."""
        told = self._told.setdefault(current["metadata"]["uid"], set())
        for event in events:
            value = _event(current, event, now)
            name = value["metadata"]["name"]
            if name in told:
                continue
            told.add(name)
            _log.info(
                "event",
                kind=current["kind"],
                name=current["metadata"]["name"],
                reason=event.reason,
                message=event.message,
            )
            try:
                await self._cluster.create(EVENT, value)
            except ClusterError as error:
                _log.warning("event_lost", reason=event.reason, error=str(error))

    def forget(self, uid: str) -> None:
        """Forgets an object that is gone."""
        self._told.pop(uid, None)


def _event(current: Object, event: Event, now: datetime) -> Object:
    metadata = current["metadata"]
    digest = hashlib.sha256(f"{metadata['uid']}/{event.reason}/{event.message}".encode()).hexdigest()[:16]
    at = timestamp(now)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{digest}", "namespace": metadata["namespace"]},
        "involvedObject": {
            "apiVersion": current["apiVersion"],
            "kind": current["kind"],
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        },
        "type": event.type,
        "reason": event.reason,
        "message": shortened(event.message or event.reason),
        "source": {"component": MANAGER},
        "reportingComponent": MANAGER,
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    }


def _ordered(value: Any) -> Any:
    """Lists that are maps in one order: a server may keep them in another."""
    if isinstance(value, Mapping):
        return {key: _ordered(one) for key, one in value.items()}
    if isinstance(value, list):
        made = [_ordered(one) for one in value]
        key = next((name for name in _KEYS if made and all(isinstance(one, dict) and name in one for one in made)), "")
        return sorted(made, key=lambda one: str(one[key])) if key else made
    return value
