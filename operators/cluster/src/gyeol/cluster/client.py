"""The API server, in plain dictionaries.

The real client carries the requests, with its credentials, certificates and connections; its models are not used,
because a field that a model does not know would be lost on the way.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
from kubernetes_asyncio.client import ApiClient

from gyeol.cluster.errors import GoneError, KindMissingError, RefusedError, StaleError, UnreachableError
from gyeol.cluster.kind import Kind
from gyeol.reconcile.manifest.name import MANAGER

Object = dict[str, Any]
SECONDS = 30.0
"""How long one request may take."""
PAGE = 500
PATIENCE = 5
"""How often a request is sent again that the API server did not let in, because too many others wait."""
LONGEST_PAUSE = 10.0
_UNTYPED = "failed to create typed patch object"
_UNKNOWN = "field not declared in schema"
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"


class Cluster:
    """Requests to the API server.

    Raises:
      ClusterError: every method, one of `gyeol.cluster.errors`.
    """

    def __init__(self, api: ApiClient) -> None:
        self._api = api

    async def get(self, kind: Kind, namespace: str, name: str) -> Object:
        """One object. Raises GoneError when it is not there."""
        return await self._asked("GET", kind, kind.path(namespace, name))

    async def list(self, kind: Kind, namespace: str, selector: str = "") -> tuple[list[Object], str]:
        """Every object that the label selector lets through, and the version of the list."""
        found: list[Object] = []
        query: dict[str, str] = {"labelSelector": selector, "limit": str(PAGE)}
        while True:
            page = await self._asked("GET", kind, kind.path(namespace), query)
            found += page["items"]
            if not page["metadata"].get("continue"):
                return found, page["metadata"].get("resourceVersion", "")
            query["continue"] = page["metadata"]["continue"]

    async def first(self, kind: Kind, namespace: str) -> Object | None:
        """Any one object; None when there is none. Raises KindMissingError when the kind is not served."""
        page = await self._asked("GET", kind, kind.path(namespace), {"limit": "1"})
        return next(iter(page["items"]), None)

    async def watch(
        self, kind: Kind, namespace: str, selector: str, version: str, seconds: int
    ) -> AsyncIterator[Object]:
        """Changes since a version, until the server ends the stream; silence for longer than `seconds` ends it too."""
        query = {
            "watch": "true", "labelSelector": selector, "resourceVersion": version,
            "allowWatchBookmarks": "true", "timeoutSeconds": str(seconds),
        }  # fmt: skip
        timeout = aiohttp.ClientTimeout(total=seconds + 30, sock_connect=10)
        response = await self._sent("GET", kind.path(namespace), query, timeout=timeout)
        try:
            if response.status >= 300:
                _check(response.status, await self._read(response), kind)
            async for line in response.content:
                if line.strip():
                    yield json.loads(line)
        except (aiohttp.ClientError, OSError) as error:
            raise UnreachableError(f"the watch broke off ({type(error).__name__}: {error})") from error
        finally:
            response.close()

    async def apply(self, kind: Kind, value: Mapping[str, Any], *, manager: str = MANAGER) -> Object:
        """Server-side apply: the fields in `value` become ours, those no longer in it go."""
        metadata = value["metadata"]
        query = {"fieldManager": manager, "force": "true", "fieldValidation": "Strict"}
        path = kind.path(metadata.get("namespace", ""), metadata["name"])
        return await self._asked("PATCH", kind, path, query, value, _APPLY)

    async def apply_status(self, kind: Kind, current: Object, status: Mapping[str, Any]) -> Object:
        """Writes the status if the object is still the one it was made from. Raises StaleError otherwise."""
        metadata = current["metadata"]
        value = {
            "apiVersion": kind.api_version,
            "kind": kind.name,
            "metadata": {key: metadata[key] for key in ("name", "namespace", "uid", "resourceVersion")},
            "status": status,
        }
        query = {"fieldManager": MANAGER, "force": "true", "fieldValidation": "Strict"}
        return await self._asked(
            "PATCH", kind, kind.path(metadata["namespace"], metadata["name"], "status"), query, value, _APPLY
        )

    async def patch(self, kind: Kind, namespace: str, name: str, change: Mapping[str, Any]) -> Object:
        """Merges a change into an object."""
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict"}
        return await self._asked("PATCH", kind, kind.path(namespace, name), query, change, _MERGE)

    async def create(self, kind: Kind, value: Mapping[str, Any]) -> Object | None:
        """Makes an object; None when one of its name is there already."""
        try:
            query = {"fieldManager": MANAGER, "fieldValidation": "Strict"}
            return await self._asked("POST", kind, kind.path(value["metadata"].get("namespace", "")), query, value)
        except StaleError:
            return None

    async def delete(self, kind: Kind, current: Object) -> None:
        """Deletes this very object and what it owns; one that is gone already is fine."""
        metadata = current["metadata"]
        options = {
            "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background",
            "preconditions": {"uid": metadata["uid"]},
        }  # fmt: skip
        try:
            await self._asked("DELETE", kind, kind.path(metadata["namespace"], metadata["name"]), {}, options)
        except (GoneError, StaleError):
            return

    async def has(self, kind: Kind) -> bool:
        """Whether a kind is served. Everybody who has an account may ask that; nothing is listed.

        Raises:
          RefusedError: This account may not ask: it is not known.
        """
        try:
            found = await self._asked("GET", kind, kind.version_path)
        except (GoneError, KindMissingError):
            return False
        return any(one["name"] == kind.plural for one in found["resources"])

    async def _asked(
        self, method: str, kind: Kind, path: str, query: Mapping[str, str] | None = None, body: Any = None, content: str = "application/json"
    ) -> Object:  # fmt: skip
        for left in reversed(range(PATIENCE)):
            response = await self._sent(method, path, query or {}, body, content)
            raw = await self._read(response)
            if response.status != 429 or not left:
                break
            # It was not carried out: it may be sent again.
            await asyncio.sleep(_pause(response.headers.get("Retry-After", "")))
        _check(response.status, raw, kind)
        return dict(json.loads(raw))

    async def _read(self, response: Any) -> bytes:
        try:
            return bytes(await response.read())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise UnreachableError(
                f"the answer of the API server broke off ({type(error).__name__}: {error})"
            ) from error

    async def _sent(
        self, method: str, path: str, query: Mapping[str, str], body: Any = None, content: str = "application/json", timeout: Any = SECONDS
    ) -> Any:  # fmt: skip
        try:
            return await self._api.call_api(
                path, method, query_params=[(key, value) for key, value in query.items() if value],
                header_params={"Accept": "application/json", "Content-Type": content}, body=body,
                auth_settings=["BearerToken"], _preload_content=False, _request_timeout=timeout,
            )  # fmt: skip
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise UnreachableError(f"the API server cannot be reached ({type(error).__name__}: {error})") from error


def _pause(told: str) -> float:
    """Seconds to wait, as the server asks for them."""
    return min(float(told), LONGEST_PAUSE) if told.isdigit() else 1.0


def _check(status: int, raw: bytes, kind: Kind) -> None:
    """Turns an answer that is no success into what it means for us."""
    if status < 300:
        return
    try:
        told = json.loads(raw)
    except ValueError:
        told = {}
    message = str(told.get("message") or raw[:200].decode(errors="replace") or f"HTTP {status}")
    if status == 404:
        # A path that is not served has no name, or is answered in plain text.
        if (told.get("details") or {}).get("name"):
            raise GoneError(message)
        raise KindMissingError(f"{kind.name} ({kind.api_version}) is not installed on this cluster; {kind.remedy}")
    if status in (400, 413, 415, 422):
        raise RefusedError(message)
    if status == 403:
        raise RefusedError(f"{message}; the operator's role does not allow this, or a quota is used up")
    if status == 409:
        raise StaleError(message)
    if status == 500 and message.startswith(_UNTYPED):
        # Server-side apply says so whatever is wrong with a field: trying again cannot help.
        upgrade = f"; the definition of {kind.name} on this cluster lacks it: upgrade it" if _UNKNOWN in message else ""
        raise RefusedError(message + upgrade)
    raise UnreachableError(f"the API server answers {status}: {message}")
