"""What changed between two states of a pack, item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    what: str
    """`added`, `removed` or `changed`."""
    item: str
    """`<file>: <place>`, for example `molds/G.yaml: molds.G.financial.m1`."""
    fields: tuple[str, ...] = ()
    """Of a changed item: which of its fields."""


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Compares the content of two packs, each by file name, and returns what changed in order of place."""
    old, new = (dict(_items(content)) for content in (before, after))
    found = [Change("removed", item) for item in old.keys() - new.keys()]
    found += [Change("added", item) for item in new.keys() - old.keys()]
    found += [
        Change("changed", item, tuple(_fields(old[item], new[item])))
        for item in old.keys() & new.keys()
        if old[item] != new[item]
    ]
    return sorted(found, key=lambda change: (change.item, change.what))


def _items(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields everything that has an id, or else a key of its own, with its place."""
    for file, data in content.items():
        yield from _parts(f"{file}: ", data)


def _parts(place: str, data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict) and not (place.endswith(": ") or _keyed(data)):
        yield place, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _parts(f"{place}{'' if place.endswith(': ') else '.'}{key}", value)
    elif isinstance(data, list) and data and all(isinstance(item, dict) and "id" in item for item in data):
        for item in data:
            nested = {key: value for key, value in item.items() if _listed(value)}
            yield f"{place}.{item['id']}", {key: value for key, value in item.items() if key not in nested}
            for key, value in nested.items():
                yield from _parts(f"{place}.{item['id']}.{key}", value)
    else:
        yield place, data


def _keyed(data: Mapping[str, Any]) -> bool:
    """True: a map from names to things, as slots and types are, not a thing with fields."""
    return all(isinstance(value, list | dict) for value in data.values())


def _listed(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and "id" in item for item in value)


def _fields(old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
