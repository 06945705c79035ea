"""What the server checks of any object before it looks inside: that it is the one the path names, and its metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from support.kube.refusal import RefusalError
from support.kube.resource import Resource

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_LABEL_NAME = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_ANNOTATION_BYTES = 262144


def addressed(resource: Resource, namespace: str, name: str, value: Mapping[str, Any]) -> None:
    """Raises RefusalError if an object is not the one that the path names; `name` is empty for a new one."""
    metadata, version = value.get("metadata") or {}, value.get("apiVersion", resource.api_version)
    if version != resource.api_version:
        message = (
            f"the API version in the data ({version}) does not match the expected API version ({resource.api_version})"
        )
        raise RefusalError(400, "BadRequest", message)
    if name and metadata.get("name", name) != name:
        message = f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})"
        raise RefusalError(400, "BadRequest", message)
    if namespace and (metadata.get("namespace") or namespace) != namespace:
        message = "the namespace of the provided object does not match the namespace sent on the request"
        raise RefusalError(400, "BadRequest", message)


def faults(metadata: Mapping[str, Any], old: Mapping[str, Any] | None) -> Iterator[str]:
    """What is wrong with the metadata of an object; `old` is what an update finds."""
    name = metadata.get("name", "")
    if not name:
        yield "metadata.name: Required value: name or generateName is required"
    elif len(name) > 253 or not _NAME.fullmatch(name):
        yield f'metadata.name: Invalid value: "{name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "-" or "."'
    for key, one in (metadata.get("labels") or {}).items():
        if not _LABEL_NAME.fullmatch(key):
            yield f'metadata.labels: Invalid value: "{key}": name part must consist of alphanumeric characters, "-", "_" or "."'
        if len(one) > 63 or not _LABEL.fullmatch(one):
            yield f'metadata.labels: Invalid value: "{one}": a valid label must be an empty string or consist of alphanumeric characters, "-", "_" or "."'
    notes = metadata.get("annotations") or {}
    if len(json.dumps(notes, ensure_ascii=False).encode()) > _ANNOTATION_BYTES:
        yield f"metadata.annotations: Too long: may not be more than {_ANNOTATION_BYTES} bytes"
    for one in metadata.get("ownerReferences") or []:
        for key in ("apiVersion", "kind", "name", "uid"):
            if not one.get(key):
                yield f'metadata.ownerReferences.{key}: Invalid value: "": must not be empty'
    if old is not None and old.get("deletionTimestamp"):
        added = sorted(set(metadata.get("finalizers") or []) - set(old.get("finalizers") or []))
        if added:
            told = ", ".join(f'"{one}"' for one in added)
            yield f"metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{told}}}"
