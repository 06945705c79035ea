"""The server: Kubernetes' HTTP interface over a store in memory.

Faithful where an operator can be wrong: UIDs, generations and resource versions, a status that only its subresource changes,
409 for what is stale or exists already, server-side apply by field owner, validation by the definition (strict, defaults, rules),
finalizers and garbage collection, watches with bookmarks that end, go silent or answer 410,
and roles, for those bearers that have any; others may do everything.
Not there: authentication, admission webhooks, conversion, scheduling, controllers other than the collector of garbage. Nothing runs here; see `support.kube.actor`.

A request is parsed (`call`, by the `catalogue` of what is served), then read (`reading`, `watch`, `discovery`)
or written: `writing` makes the object, `admission` judges it, `lifecycle` stores or deletes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from aiohttp import web

from support.kube.admission import Admission, established, held
from support.kube.authorization import Rights
from support.kube.call import Call, read_call
from support.kube.catalogue import Catalogue
from support.kube.crd import Definition
from support.kube.discovery import discovered
from support.kube.lifecycle import Lifecycle
from support.kube.reading import got, listed, live_object
from support.kube.refusal import RefusalError, UnservedError
from support.kube.store import Store, born
from support.kube.watch import events
from support.kube.writing import Writer


@dataclass(frozen=True)
class Request:
    """One request as it was answered."""

    verb: str
    resource: str
    namespace: str
    name: str
    subresource: str
    manager: str
    code: int
    changed: bool
    """Whether the stored object is another one afterwards."""


class ApiServer:
    """A server on a free port of the loopback interface.

    Args:
      definitions: Kinds that are there from the beginning.
      history: Changes that watches may go back.
      bookmark_seconds: Time between bookmarks.
      checks_core: Whether built-in kinds are checked too; 30 ms an object.
    """

    def __init__(
        self, *definitions: Definition, history: int = 5000, bookmark_seconds: float = 1.0, checks_core: bool = True
    ) -> None:
        self.store = Store(history)
        self.catalogue = Catalogue(definitions)
        self._lifecycle = Lifecycle(self.store, self.catalogue)
        admission = Admission(self.store, self.catalogue, checks_core=checks_core)
        self._writer = Writer(self.store, self.catalogue, admission, self._lifecycle)
        self._definitions = definitions
        self._bookmark_seconds = bookmark_seconds
        self._runner: web.AppRunner | None = None
        self.port = 0
        self.requests: list[Request] = []
        """Everything that was asked but watches, newest last."""
        self.silent = False
        """Watches stay open and say nothing."""
        self.refuse: Callable[[str, str, str], RefusalError | None] = lambda verb, resource, manager: None
        """Asked before each request, with verb, resource or path, and field manager; what it returns is answered."""
        self.rights: dict[str, Rights] = {}
        """What bearers may do, by token."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kubeconfig(self, token: str = "test") -> str:
        """A kubeconfig file's text, for a bearer."""
        return yaml.safe_dump(
            {
                "apiVersion": "v1", "kind": "Config", "current-context": "test",
                "clusters": [{"name": "test", "cluster": {"server": self.url}}],
                "users": [{"name": "test", "user": {"token": token}}],
                "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": "default"}}],
            }
        )  # fmt: skip

    async def start(self) -> None:
        application = web.Application(client_max_size=8 * 2**20)
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self._furnish()

    async def stop(self) -> None:
        self.store.cut()
        if self._runner is not None:
            await self._runner.cleanup()

    def objects(self, kind: str, namespace: str | None = None) -> list[dict[str, Any]]:
        """Copies of the objects of a kind, by name."""
        shelf = self.store.shelf(self.catalogue.kind(kind))
        found = [value for key, value in shelf.objects.items() if namespace in (None, key[0])]
        return sorted(copy.deepcopy(found), key=lambda one: one["metadata"]["name"])

    def writes(self, manager: str = "") -> list[Request]:
        """Requests that changed something."""
        return [one for one in self.requests if one.changed and manager in ("", one.manager)]

    def _furnish(self) -> None:
        """What every server has, unless this one was started before."""
        definitions, namespaces = self.catalogue.definitions, self.catalogue.namespaces
        for one in self._definitions:
            if ("", one.document["metadata"]["name"]) not in self.store.shelf(definitions).objects:
                self.store.put(definitions, established(born(one.document, ""), None), [])
        if ("", "default") not in self.store.shelf(namespaces).objects:
            made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
            self.store.put(namespaces, held(born(made, "")), [])
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
            self.store.put(self.catalogue.service_accounts, born(account, "default"), [])

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.strip("/")
        try:
            document = discovered(path, self.catalogue)
            if document is not None:
                self._check_refusal("GET", path, "")
                return _json(document)
            call = await read_call(request, self.catalogue)
            self._check_rights(call)
            return await self._watch(request, call) if call.watches else self._carried_out(call)
        except UnservedError:
            return web.Response(text="404 page not found", status=404)
        except RefusalError as refusal:
            pause = {"Retry-After": "1"} if refusal.code == 429 else {}
            return _json(refusal.body(), refusal.code, pause)

    def _check_refusal(self, verb: str, resource: str, manager: str) -> None:
        refusal = self.refuse(verb, resource, manager)
        if refusal is not None:
            raise refusal

    def _check_rights(self, call: Call) -> None:
        if call.bearer in self.rights:
            self.rights[call.bearer].check(call, live_object(self.store, call.target) is not None)

    def _carried_out(self, call: Call) -> web.Response:
        code, before, target = 200, self.store.version, call.target
        try:
            self._check_refusal(call.verb, target.resource.plural, call.manager)
            with self.store.rehearsal(call.rehearsed):
                answer, code = self._done(call)
        except RefusalError as refusal:
            code = refusal.code
            raise
        finally:
            changed = call.verb != "GET" and self.store.version != before
            self.requests.append(
                Request(
                    call.verb,
                    target.resource.plural,
                    target.namespace,
                    call.name,
                    target.subresource,
                    call.manager,
                    code,
                    changed,
                )
            )
        return _json(answer, code)

    def _done(self, call: Call) -> tuple[dict[str, Any], int]:
        target = call.target
        match call.verb:
            case "GET":
                return (got if target.name else listed)(self.store, call), 200
            case "POST":
                return self._writer.create(call), 201
            case "PUT":
                return self._writer.replace(call), 200
            case "PATCH":
                code = 200 if live_object(self.store, target) is not None else 201
                return self._writer.patch(call), code
            case "DELETE" if target.name:
                return self._lifecycle.delete(target, call.body or {}), 200
            case "DELETE":
                return self._lifecycle.sweep(call), 200
            case verb:
                raise RefusalError(405, "MethodNotAllowed", verb)

    async def _watch(self, request: web.Request, call: Call) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        told = events(self.store, call, bookmark_seconds=self._bookmark_seconds, silent=lambda: self.silent)
        with contextlib.suppress(ConnectionResetError, asyncio.CancelledError):
            async for event in told:
                await response.write(json.dumps(event).encode() + b"\n")
        return response


@contextlib.asynccontextmanager
async def api_server(*definitions: Definition, **options: Any) -> AsyncIterator[ApiServer]:
    """A server that is stopped at the end."""
    server = ApiServer(*definitions, **options)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def _json(value: Any, code: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(body=json.dumps(value).encode(), status=code, content_type="application/json", headers=headers)
