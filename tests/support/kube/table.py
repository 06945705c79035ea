"""What `kubectl get` prints: rows by the columns of the definition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from support.kube.resource import Resource


def table(resource: Resource, objects: Sequence[dict[str, Any]], version: str) -> dict[str, Any]:
    columns = _columns(resource)
    head = [
        {
            "name": name,
            "type": kind if kind != "date" else "string",
            "format": "name" if name == "Name" else "",
            "description": "",
            "priority": 0,
        }
        for name, kind, _ in columns
    ]
    rows = [
        {
            "cells": [_cell(one, kind, path) for _, kind, path in columns],
            "object": {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": one["metadata"]},
        }
        for one in objects
    ]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": version},
        "columnDefinitions": head,
        "rows": rows,
    }


def _columns(resource: Resource) -> list[tuple[str, str, str]]:
    found = [("Name", "string", ".metadata.name")]
    if resource.definition:
        version = next(
            one for one in resource.definition.document["spec"]["versions"] if one["name"] == resource.version
        )
        written = version.get("additionalPrinterColumns") or []
        found += [(one["name"], one["type"], one["jsonPath"]) for one in written if not one.get("priority")]
    else:
        found.append(("Age", "date", ".metadata.creationTimestamp"))
    return found


def _cell(value: Any, kind: str, path: str) -> Any:
    found = _found(value, path)
    if kind == "date" and found:
        seconds = int((datetime.now(UTC) - datetime.fromisoformat(found)).total_seconds())
        return f"{seconds}s" if seconds < 120 else f"{seconds // 60}m"
    return found


def _found(value: Any, path: str) -> Any:
    for name, key, wanted in re.findall(r"\.(\w+)(?:\[\?\(@\.(\w+)\s*==\s*['\"](\w+)['\"]\)\])?", path):
        value = value.get(name) if isinstance(value, dict) else None
        if key:
            value = next((one for one in value or [] if one.get(key) == wanted), None)
    return value
