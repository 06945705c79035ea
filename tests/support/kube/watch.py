"""Watches: what is there, what happened since, what happens, and bookmarks in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from support.kube.call import Call, Target
from support.kube.reading import matches, selected, versioned
from support.kube.refusal import RefusalError
from support.kube.resource import Resource
from support.kube.store import Change, Store


async def events(
    store: Store, call: Call, *, bookmark_seconds: float, silent: Callable[[], bool]
) -> AsyncIterator[dict[str, Any]]:
    """What a watch is told until it ends.

    Args:
      store: Where the objects are.
      call: What is watched, and from when on.
      bookmark_seconds: Time between bookmarks.
      silent: Asked before each event whether to keep it back.
    """
    target, query = call.target, call.query
    shelf, since = store.shelf(target.resource), int(query.get("resourceVersion") or 0)
    whole = query.get("sendInitialEvents") == "true"
    since = 0 if whole else since
    if since and since < shelf.forgotten:
        yield {"type": "ERROR", "object": RefusalError(410, "Expired", "too old resource version").body()}
        return
    queue: asyncio.Queue[Change | None] = asyncio.Queue()
    past = [one for one in shelf.history if one.version > since] if since else []
    shelf.watchers.add(queue)
    try:
        if not since:
            for one in selected(store, target, query):
                yield {"type": "ADDED", "object": versioned(target.resource, one)}
        if whole:
            yield _bookmark(store, target.resource, {"annotations": {"k8s.io/initial-events-end": "true"}})
        for change in past:
            for event in _told(change, query, target):
                yield event
        deadline = asyncio.get_running_loop().time() + float(query.get("timeoutSeconds") or 300)
        while (left := deadline - asyncio.get_running_loop().time()) > 0:
            try:
                change_now = await asyncio.wait_for(queue.get(), min(left, bookmark_seconds))
            except TimeoutError:
                if query.get("allowWatchBookmarks") in ("1", "true") and not silent():
                    yield _bookmark(store, target.resource, {})
                continue
            if change_now is None:
                return
            if not silent():
                for event in _told(change_now, query, target):
                    yield event
    finally:
        shelf.watchers.discard(queue)


def _bookmark(store: Store, resource: Resource, metadata: Mapping[str, Any]) -> dict[str, Any]:
    mark = {"metadata": {**metadata, "resourceVersion": str(store.version)}}
    return {"type": "BOOKMARK", "object": versioned(resource, mark)}


def _told(change: Change, query: Mapping[str, str], target: Target) -> list[dict[str, Any]]:
    """What a selection sees of a change: an object that comes to match is new to it, one that ceases to is gone."""
    if target.namespace not in ("", change.value["metadata"].get("namespace", "")):
        return []
    fits = matches(change.value, query)
    fitted = change.before is not None and matches(change.before, query)
    kind = change.type
    if kind == "MODIFIED" and fits and not fitted:
        kind = "ADDED"
    elif kind == "MODIFIED" and fitted and not fits:
        kind = "DELETED"
    elif not fits:
        return []
    return [{"type": kind, "object": versioned(target.resource, change.value)}]
