"""Server-side apply: who set which field, what is in conflict, and what goes when its only owner lets go of it.

A field is a path; entries of lists that are maps are named by their keys, other lists are one value.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.kube.resource import LIST_KEYS, SERVICE_PORTS, Resource

Path = tuple[str, ...]
_IGNORED = {"apiVersion", "kind"}
_SERVERS_OWN = {
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
    "name",
    "namespace",
    "deletionTimestamp",
}


class ApplyConflictError(Exception):
    """Fields are set by others."""

    def __init__(self, fields: Mapping[Path, str]) -> None:
        self.fields = fields
        told = "\n".join(f'conflict with "{owner}": .{".".join(path)}' for path, owner in list(fields.items())[:5])
        super().__init__(f"Apply failed with {len(fields)} conflict{'s' if len(fields) > 1 else ''}: {told}")


@dataclass
class Owner:
    """One field manager of one object."""

    manager: str
    operation: str
    subresource: str
    fields: set[Path] = field(default_factory=set)


def applied(
    live: dict[str, Any] | None,
    asked: Mapping[str, Any],
    owners: list[Owner],
    manager: str,
    subresource: str,
    *,
    force: bool,
    resource: Resource,
) -> tuple[dict[str, Any], list[Owner]]:
    """The object and its owners after `asked` was applied."""
    keys = _Keys(resource)
    wanted = dict(keys.leaves(asked, ()))
    mine = next(
        (one for one in owners if (one.manager, one.operation, one.subresource) == (manager, "Apply", subresource)),
        None,
    )
    before = dict(keys.leaves(live, ())) if live else {}
    conflicts = {
        path: other.manager
        for other in owners
        if other is not mine
        for path in other.fields & wanted.keys()
        if before.get(path) != wanted[path] and not (other.manager == manager and other.operation == "Apply")
    }
    if conflicts and not force:
        raise ApplyConflictError(conflicts)
    rest = [copy.deepcopy(one) for one in owners if one is not mine]
    for other in rest:
        other.fields -= conflicts.keys()
    merged = keys.merged(live or {}, asked, ())
    gone = (mine.fields if mine else set()) - wanted.keys() - {path for one in rest for path in one.fields}
    for path in sorted(gone, key=len):  # an entry before its fields: without its key it would not be found any more
        keys.remove(merged, path)
    rest = [one for one in rest if one.fields]
    return merged, [*rest, Owner(manager, "Apply", subresource, set(wanted))]


def updated(
    live: Mapping[str, Any] | None,
    new: Mapping[str, Any],
    owners: Sequence[Owner],
    manager: str,
    subresource: str,
    resource: Resource,
) -> list[Owner]:
    """Owners after a write that was no apply."""
    keys = _Keys(resource)
    before, after = dict(keys.leaves(live or {}, ())), dict(keys.leaves(new, ()))
    changed = {path for path, value in after.items() if path not in before or before[path] != value}
    rest = [copy.deepcopy(one) for one in owners]
    for one in rest:
        one.fields = (one.fields - changed) & after.keys() if one.manager != manager else one.fields & after.keys()
    mine = next(
        (one for one in rest if (one.manager, one.operation, one.subresource) == (manager, "Update", subresource)), None
    )
    if mine is None and changed:
        mine = Owner(manager, "Update", subresource)
        rest.append(mine)
    if mine is not None:
        mine.fields |= changed
    return [one for one in rest if one.fields]


def alike(some: Sequence[Owner], others: Sequence[Owner]) -> bool:
    """Whether the same fields belong to the same owners."""

    def kept(owners: Sequence[Owner]) -> list[tuple[str, str, str, list[Path]]]:
        return sorted((one.manager, one.operation, one.subresource, sorted(one.fields)) for one in owners)

    return kept(some) == kept(others)


def managed_fields(owners: Sequence[Owner], api_version: str, now: str) -> list[dict[str, Any]]:
    """Owners as Kubernetes writes them."""
    found = []
    for one in owners:
        tree: dict[str, Any] = {}
        for path in sorted(one.fields):
            node = tree
            for part in path:
                node = node.setdefault(part if part.startswith("k:") else f"f:{part}", {})
        entry = {
            "manager": one.manager,
            "operation": one.operation,
            "apiVersion": api_version,
            "time": now,
            "fieldsType": "FieldsV1",
            "fieldsV1": tree,
        }
        found.append(entry | ({"subresource": one.subresource} if one.subresource else {}))
    return found


class _Keys:
    def __init__(self, resource: Resource) -> None:
        self._schema = resource.definition.versions[resource.version] if resource.definition else None

    def leaves(self, value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
        if isinstance(value, Mapping) and (value or not path):
            for key, one in value.items():
                if (not path and key in _IGNORED) or (path == ("metadata",) and key in _SERVERS_OWN):
                    continue
                yield from self.leaves(one, (*path, key))
            return
        names = self._names(path)
        if isinstance(value, list) and names and value:
            for one in value:
                place = (*path, _key(one, names))
                yield (*place,), None
                yield from self.leaves(one, place)
            return
        yield path, value

    def merged(self, live: Any, asked: Any, path: Path) -> Any:
        if isinstance(asked, Mapping) and isinstance(live, Mapping):
            made = copy.deepcopy(dict(live))
            for key, one in asked.items():
                made[key] = self.merged(made.get(key), one, (*path, key))
            return made
        names = self._names(path)
        if isinstance(asked, list) and names and isinstance(live, list):
            found = {_key(one, names): copy.deepcopy(one) for one in live}
            for one in asked:
                found[_key(one, names)] = self.merged(found.get(_key(one, names)), one, (*path, _key(one, names)))
            return list(found.values())
        return copy.deepcopy(asked)

    def remove(self, value: Any, path: Path) -> None:
        node, way = value, ()
        trail: list[tuple[Any, Any]] = []
        for part in path[:-1]:
            way = (*way, part)
            step = self._step(node, part, way[:-1])
            if step is None:
                return
            trail.append((node, step))
            node = node[step]
        last = self._step(node, path[-1], path[:-1])
        if last is None:
            return
        del node[last]
        for parent, step in reversed(trail):
            if parent[step] in ({}, []):
                del parent[step]

    def _step(self, node: Any, part: str, path: Path) -> Any:
        if isinstance(node, dict):
            return part if part in node else None
        if isinstance(node, list):
            names = self._names(path)
            return next((index for index, one in enumerate(node) if names and _key(one, names) == part), None)
        return None

    def _names(self, path: Path) -> tuple[str, ...]:
        if not path:
            return ()
        if path[:1] == ("metadata",) or self._schema is None:
            return SERVICE_PORTS if path == ("spec", "ports") else LIST_KEYS.get(path[-1], ())
        node: Any = self._schema
        for part in path:
            if node is None:
                return ()
            node = (
                node.get("items")
                if part.startswith("k:")
                else (node.get("properties") or {}).get(part) or node.get("additionalProperties")
            )
            if not isinstance(node, Mapping):
                return ()
        return (
            tuple(node.get("x-kubernetes-list-map-keys") or ()) if node.get("x-kubernetes-list-type") == "map" else ()
        )


def _key(one: Any, names: tuple[str, ...]) -> str:
    return "k:" + json.dumps({name: one.get(name) for name in names}, sort_keys=True)
