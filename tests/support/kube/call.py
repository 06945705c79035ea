"""What one HTTP request asks for: parsed here, so that nothing behind it reads a path or a header."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from aiohttp import web

from support.kube.catalogue import Catalogue
from support.kube.refusal import RefusalError, UnservedError
from support.kube.resource import Resource
from support.kube.store import Key

_PATH = re.compile(
    r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))(?:/namespaces/(?P<namespace>[^/]+)(?=/[a-z]))?"
    r"/(?P<plural>[a-z]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>status|scale))?"
)


@dataclass(frozen=True)
class Target:
    """What a path names: an object, or with an empty name all of a kind."""

    resource: Resource
    namespace: str
    name: str
    subresource: str = ""

    @property
    def key(self) -> Key:
        return self.namespace, self.name


@dataclass(frozen=True)
class Call:
    """One request for objects."""

    verb: str
    target: Target
    query: Mapping[str, str]
    manager: str
    """Field manager; the client's name where it gives none."""
    bearer: str
    """The token; empty without one."""
    content_type: str
    accept: str
    body: Any
    """What was sent, parsed; None where nothing was."""

    @property
    def name(self) -> str:
        """Of the object: in the path, or in what was sent."""
        if self.target.name or not isinstance(self.body, dict):
            return self.target.name
        return str((self.body.get("metadata") or {}).get("name", ""))

    @property
    def watches(self) -> bool:
        return self.verb == "GET" and self.query.get("watch") in ("1", "true")

    @property
    def strict(self) -> bool:
        return self.query.get("fieldValidation") == "Strict"

    @property
    def rehearsed(self) -> bool:
        """Whether `dryRun=All` is asked for: in the path, or, for a deletion, in its options."""
        options = self.body.get("dryRun") if isinstance(self.body, dict) else None
        return self.query.get("dryRun") == "All" or options == ["All"]


async def read_call(request: web.Request, catalogue: Catalogue) -> Call:
    """Raises UnservedError or RefusalError for what nobody could carry out."""
    target = _target(request.path, catalogue)
    _check_numbers(request.query)
    return Call(
        request.method,
        target,
        request.query,
        request.query.get("fieldManager") or request.headers.get("User-Agent", "unknown").split("/")[0],
        request.headers.get("Authorization", "").removeprefix("Bearer "),
        request.content_type,
        request.headers.get("Accept", ""),
        _parsed(await request.read()),
    )


def _target(path: str, catalogue: Catalogue) -> Target:
    matched = _PATH.fullmatch(path)
    if matched is None:
        raise RefusalError(404, "NotFound", "the server could not find the requested resource")
    found = matched.groupdict(default="")
    if found["namespace"] and found["plural"] in ("status", "finalize"):  # of the namespace itself
        found |= {"plural": "namespaces", "name": found["namespace"], "sub": found["plural"], "namespace": ""}
    resource = catalogue.at(found["group"], found["core"] or found["version"], found["plural"])
    if resource is None:
        raise UnservedError
    if found["sub"] == "status" and not resource.status:
        raise RefusalError(404, "NotFound", "the server could not find the requested resource")
    return Target(resource, found["namespace"], found["name"], found["sub"])


def _check_numbers(query: Mapping[str, str]) -> None:
    for name in ("timeoutSeconds", "limit"):
        if not query.get(name, "0").isdigit():
            raise RefusalError(400, "BadRequest", f'strconv.ParseInt: parsing "{query[name]}": invalid syntax')


def _parsed(raw: bytes) -> Any:
    if not raw:
        return None
    try:
        return json.loads(raw)  # which is YAML too, and read a hundred times as fast
    except ValueError:
        return yaml.load(raw, Loader=yaml.CSafeLoader)
