"""Reads: one object, lists by labels and fields in pages, and both as tables. Nothing here changes the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.kube.call import Call, Target
from support.kube.refusal import RefusalError
from support.kube.resource import Resource
from support.kube.store import Store
from support.kube.table import table


def got(store: Store, call: Call) -> dict[str, Any]:
    live = needed(store, call.target)
    if "as=Table" in call.accept:
        return table(call.target.resource, [live], live["metadata"]["resourceVersion"])
    return versioned(call.target.resource, live)


def listed(store: Store, call: Call) -> dict[str, Any]:
    resource, query = call.target.resource, call.query
    found = selected(store, call.target, query)
    start, limit = int(query.get("continue") or 0), int(query.get("limit") or 0)
    page = found[start : start + limit] if limit else found
    metadata = {"resourceVersion": str(store.version)}
    if limit and start + limit < len(found):
        metadata["continue"] = str(start + limit)
    if "as=Table" in call.accept:
        return table(resource, page, str(store.version)) | {"metadata": metadata}
    own = resource.definition is not None  # entries of lists of built-in kinds do not say their kind
    items = [
        versioned(resource, one)
        if own
        else {key: part for key, part in one.items() if key not in ("kind", "apiVersion")}
        for one in page
    ]
    return {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": metadata, "items": items}


def live_object(store: Store, target: Target) -> dict[str, Any] | None:
    """The object as it is stored, not to be changed."""
    return store.shelf(target.resource).objects.get(target.key)


def needed(store: Store, target: Target) -> dict[str, Any]:
    """The object as it is stored, not to be changed; raises RefusalError if there is none."""
    live = live_object(store, target)
    if live is None:
        raise RefusalError(404, "NotFound", f'{target.resource.qualified} "{target.name}" not found', target.name)
    return live


def selected(store: Store, target: Target, query: Mapping[str, str]) -> list[dict[str, Any]]:
    """Objects of the kind, in the namespace if there is one, that the selectors choose; by namespace and name."""
    shelf = store.shelf(target.resource)
    found = [value for (namespace, _), value in sorted(shelf.objects.items()) if target.namespace in ("", namespace)]
    return [one for one in found if matches(one, query)]


def matches(value: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    """Whether label and field selectors choose an object."""
    labels = value["metadata"].get("labels") or {}
    for part in filter(None, (query.get("labelSelector") or "").split(",")):
        name, _, wanted = part.replace("==", "=").partition("=")
        if (labels.get(name) != wanted) if "=" in part else (name not in labels):
            return False
    for part in filter(None, (query.get("fieldSelector") or "").split(",")):
        path, _, wanted = part.replace("==", "=").partition("=")
        node: Any = value
        for step in path.split("."):
            node = node.get(step, "") if isinstance(node, dict) else ""
        if str(node) != wanted:
            return False
    return True


def versioned(resource: Resource, value: Mapping[str, Any]) -> dict[str, Any]:
    """An object as the version shows it that was asked for."""
    return {**value, "apiVersion": resource.api_version, "kind": resource.kind}
