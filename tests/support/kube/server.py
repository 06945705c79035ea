"""The server: Kubernetes' HTTP interface over a store in memory.

Faithful where an operator can be wrong: UIDs, generations and resource versions, a status that only its subresource changes,
409 for what is stale or exists already, server-side apply by field owner, validation by the definition (strict, defaults, rules),
finalizers and garbage collection, watches with bookmarks that end, go silent or answer 410.
Not there: authentication, admission webhooks, conversion, scheduling, controllers other than the collector of garbage. Nothing runs here; see `support.kube.actor`.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import kubernetes_validate
import yaml
from aiohttp import web

from support.kube import apply, envelope
from support.kube.crd import Definition, pruned, unknown_fields, untypable
from support.kube.refusal import RefusalError, UnservedError, invalid, stale
from support.kube.resource import BUILT_IN, Resource, of_definition
from support.kube.store import Change, Key, Store, born, now
from support.kube.table import table

_MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
_CORE_CHECKED = {"Job", "ConfigMap", "Pod", "Service"}


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


@dataclass(frozen=True)
class _Target:
    resource: Resource
    namespace: str
    name: str
    subresource: str

    @property
    def key(self) -> Key:
        return self.namespace, self.name


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
        self._resources: dict[tuple[str, str, str], Resource] = {}
        for resource in (*BUILT_IN, *(one for definition in definitions for one in of_definition(definition))):
            self._resources[(resource.group, resource.version, resource.plural)] = resource
        self._definitions = definitions
        self._bookmark_seconds = bookmark_seconds
        self._checks_core = checks_core
        self._runner: web.AppRunner | None = None
        self.port = 0
        self.requests: list[Request] = []
        """Everything that was asked but watches, newest last."""
        self.silent = False
        """Watches stay open and say nothing."""
        self.refuse: Callable[[str, str, str], RefusalError | None] = lambda verb, resource, manager: None
        """Asked before each request, with verb, resource or path, and field manager; what it returns is answered."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def kubeconfig(self) -> str:
        """A kubeconfig file's text."""
        return yaml.safe_dump(
            {
                "apiVersion": "v1", "kind": "Config", "current-context": "test",
                "clusters": [{"name": "test", "cluster": {"server": self.url}}],
                "users": [{"name": "test", "user": {"token": "test"}}],
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
        crds = self._resources[("apiextensions.k8s.io", "v1", "customresourcedefinitions")]
        for one in self._definitions:
            if ("", one.document["metadata"]["name"]) not in self.store.shelf(crds).objects:
                self.store.put(crds, _defined(born(one.document, ""), None), [])
        if ("", "default") not in self.store.shelf(self._namespaces).objects:
            made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
            self.store.put(self._namespaces, _held(born(made, "")), [])
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
            self.store.put(self._resources[("", "v1", "serviceaccounts")], born(account, "default"), [])

    @property
    def _namespaces(self) -> Resource:
        return self._resources[("", "v1", "namespaces")]

    async def stop(self) -> None:
        self.store.cut()
        if self._runner is not None:
            await self._runner.cleanup()

    def objects(self, kind: str, namespace: str | None = None) -> list[dict[str, Any]]:
        """Copies of the objects of a kind, by name."""
        resource = next(one for one in self._resources.values() if one.kind == kind)
        found = [value for key, value in self.store.shelf(resource).objects.items() if namespace in (None, key[0])]
        return sorted(copy.deepcopy(found), key=lambda one: one["metadata"]["name"])

    def writes(self, manager: str = "") -> list[Request]:
        """Requests that changed something."""
        return [one for one in self.requests if one.changed and manager in ("", one.manager)]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        try:
            document = self._discovery(request.path.strip("/"))
            refusal = self.refuse("GET", request.path.strip("/"), "") if document is not None else None
            if refusal is not None:
                raise refusal
            if document is not None:
                return _json(document)
            target = self._target(request.path)
            _check_numbers(request.query)
            if request.method == "GET" and request.query.get("watch") in ("1", "true"):
                return await self._watch(request, target)
            return await self._carried_out(request, target)
        except UnservedError:
            return web.Response(text="404 page not found", status=404)
        except RefusalError as refusal:
            pause = {"Retry-After": "1"} if refusal.code == 429 else {}
            return _json(refusal.body(), refusal.code, pause)

    def _discovery(self, path: str) -> dict[str, Any] | None:
        groups = sorted({(one.group, one.version) for one in self._resources.values() if one.group})
        if path == "version":
            return {"major": "1", "minor": "36", "gitVersion": "v1.36.0-test"}
        if path in ("healthz", "readyz", "livez"):
            return {}
        if path == "api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        if path == "apis":
            named: dict[str, list[str]] = {}
            for group, version in groups:
                named.setdefault(group, []).append(version)
            return {
                "kind": "APIGroupList",
                "apiVersion": "v1",
                "groups": [_group(name, versions) for name, versions in named.items()],
            }
        if path == "openapi/v3":
            return {
                "paths": {
                    (f"apis/{g}/{v}" if g else "api/v1"): {
                        "serverRelativeURL": f"/openapi/v3/{'apis/' + g + '/' + v if g else 'api/v1'}"
                    }
                    for g, v in [("", "v1"), *groups]
                }
            }
        if path.startswith("openapi/v3/"):
            return self._openapi(path.removeprefix("openapi/v3/"))
        for group, version in [("", "v1"), *groups]:
            if path == (f"apis/{group}/{version}" if group else "api/v1"):
                mine = [
                    entry
                    for one in self._resources.values()
                    if (one.group, one.version) == (group, version)
                    for entry in one.discovered()
                ]
                return {
                    "kind": "APIResourceList",
                    "apiVersion": "v1",
                    "groupVersion": f"{group}/{version}".strip("/"),
                    "resources": mine,
                }
        return None

    def _openapi(self, path: str) -> dict[str, Any]:
        group, version = path.removeprefix("apis/").split("/") if path.startswith("apis/") else ("", "v1")
        paths = {
            f"/{path}/namespaces/{{namespace}}/{one.plural}/{{name}}": {
                "patch": {
                    "parameters": [{"name": "fieldValidation", "in": "query"}],
                    "x-kubernetes-group-version-kind": {"group": one.group, "version": one.version, "kind": one.kind},
                }
            }
            for one in self._resources.values()
            if (one.group, one.version) == (group, version)
        }
        return {
            "openapi": "3.0.0",
            "info": {"title": "test", "version": "1"},
            "paths": paths,
            "components": {"schemas": {}},
        }

    def _target(self, path: str) -> _Target:
        matched = re.fullmatch(
            r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))(?:/namespaces/(?P<namespace>[^/]+)(?=/[a-z]))?"
            r"/(?P<plural>[a-z]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>status|scale))?",
            path,
        )
        if matched is None:
            raise RefusalError(404, "NotFound", "the server could not find the requested resource")
        found = matched.groupdict(default="")
        if found["namespace"] and found["plural"] in ("status", "finalize"):  # of the namespace itself
            found |= {"plural": "namespaces", "name": found["namespace"], "sub": found["plural"], "namespace": ""}
        resource = self._resources.get((found["group"], found["core"] or found["version"], found["plural"]))
        if resource is None:
            raise UnservedError
        if found["sub"] == "status" and not resource.status:
            raise RefusalError(404, "NotFound", "the server could not find the requested resource")
        return _Target(resource, found["namespace"], found["name"], found["sub"])

    async def _carried_out(self, request: web.Request, target: _Target) -> web.Response:
        query, verb = request.query, request.method
        body = await self._body(request)
        manager = query.get("fieldManager") or request.headers.get("User-Agent", "unknown").split("/")[0]
        code, before = 200, self.store.version
        try:
            refusal = self.refuse(verb, target.resource.plural, manager)
            if refusal is not None:
                raise refusal
            with self.store.rehearsal(_rehearsed(query, body)):
                answer, code = self._done(request, target, body, manager)
        except RefusalError as refusal:
            code = refusal.code
            raise
        finally:
            name = (
                target.name or ((body or {}).get("metadata") or {}).get("name", "")
                if isinstance(body, dict)
                else target.name
            )
            self.requests.append(
                Request(
                    verb,
                    target.resource.plural,
                    target.namespace,
                    name,
                    target.subresource,
                    manager,
                    code,
                    verb != "GET" and self.store.version != before,
                )
            )
        return _json(answer, code)

    def _done(self, request: web.Request, target: _Target, body: Any, manager: str) -> tuple[dict[str, Any], int]:
        query = request.query
        match request.method:
            case "GET":
                return (self._got(request, target) if target.name else self._listed(request, target)), 200
            case "POST":
                return self._created(target, body, query, manager), 201
            case "PUT":
                return self._replaced(target, body, query, manager), 200
            case "PATCH":
                code = 200 if self._live(target) is not None else 201
                return self._patched(target, body, query, manager, request.content_type), code
            case "DELETE":
                return (self._deleted(target, body or {}) if target.name else self._swept(request, target)), 200
            case verb:
                raise RefusalError(405, "MethodNotAllowed", verb)

    async def _body(self, request: web.Request) -> Any:
        raw = await request.read()
        if not raw:
            return None
        try:
            return json.loads(raw)  # which is YAML too, and read a hundred times as fast
        except ValueError:
            return yaml.load(raw, Loader=yaml.CSafeLoader)

    def _live(self, target: _Target) -> dict[str, Any] | None:
        return self.store.shelf(target.resource).objects.get(target.key)

    def _needed(self, target: _Target) -> dict[str, Any]:
        live = self._live(target)
        if live is None:
            raise RefusalError(
                404,
                "NotFound",
                f'{target.resource.qualified} "{target.name}" not found',
                target.name,
            )
        return live

    def _got(self, request: web.Request, target: _Target) -> dict[str, Any]:
        live = self._needed(target)
        if "as=Table" in request.headers.get("Accept", ""):
            return table(target.resource, [live], live["metadata"]["resourceVersion"])
        return self._versioned(target.resource, live)

    def _versioned(self, resource: Resource, value: Mapping[str, Any]) -> dict[str, Any]:
        return {**value, "apiVersion": resource.api_version, "kind": resource.kind}

    def _selected(self, query: Mapping[str, str], target: _Target) -> list[dict[str, Any]]:
        shelf = self.store.shelf(target.resource)
        found = [
            value for (namespace, _), value in sorted(shelf.objects.items()) if target.namespace in ("", namespace)
        ]
        return [one for one in found if _matches(one, query)]

    def _listed(self, request: web.Request, target: _Target) -> dict[str, Any]:
        found = self._selected(request.query, target)
        start, limit = int(request.query.get("continue") or 0), int(request.query.get("limit") or 0)
        page = found[start : start + limit] if limit else found
        metadata = {"resourceVersion": str(self.store.version)}
        if limit and start + limit < len(found):
            metadata["continue"] = str(start + limit)
        if "as=Table" in request.headers.get("Accept", ""):
            return table(target.resource, page, str(self.store.version)) | {"metadata": metadata}
        own = target.resource.definition is not None  # entries of lists of built-in kinds do not say their kind
        items = [
            self._versioned(target.resource, one)
            if own
            else {key: part for key, part in one.items() if key not in ("kind", "apiVersion")}
            for one in page
        ]
        return {
            "kind": f"{target.resource.kind}List",
            "apiVersion": target.resource.api_version,
            "metadata": metadata,
            "items": items,
        }

    def _created(self, target: _Target, body: dict[str, Any], query: Mapping[str, str], manager: str) -> dict[str, Any]:
        envelope.addressed(target.resource, target.namespace, "", body)
        self._enter(target)
        made = born(body, target.namespace)
        if target.resource == self._namespaces:
            made = _held(made)
        if target.resource.status:
            made.pop("status", None)
        made = self._admitted(target.resource, made, None, query)
        named = _Target(target.resource, target.namespace, made["metadata"]["name"], "")
        if self._live(named) is not None:
            message = f'{target.resource.qualified} "{named.name}" already exists'
            raise RefusalError(409, "AlreadyExists", message, named.name)
        owners = apply.updated(None, made, [], manager, "", target.resource)
        return self._stored(target.resource, made, owners)

    def _enter(self, target: _Target) -> None:
        """Whether something new may come into the namespace."""
        if not target.resource.namespaced:
            return
        found = self.store.shelf(self._namespaces).objects.get(("", target.namespace))
        if found is None:
            raise RefusalError(404, "NotFound", f'namespaces "{target.namespace}" not found', target.namespace)
        if found["metadata"].get("deletionTimestamp"):
            message = f"unable to create new content in namespace {target.namespace} because it is being terminated"
            raise RefusalError(403, "Forbidden", message, target.name)

    def _replaced(
        self, target: _Target, body: dict[str, Any], query: Mapping[str, str], manager: str
    ) -> dict[str, Any]:
        live = self._needed(target)
        if target.subresource == "finalize":
            return self._finalized(target, live, body)
        envelope.addressed(target.resource, target.namespace, target.name, body)
        wanted = (body.get("metadata") or {}).get("resourceVersion")
        if not wanted and target.resource.definition:
            wrong = ["metadata.resourceVersion: Invalid value: 0: must be specified for an update"]
            raise invalid(target.resource, target.name, wrong)
        return self._written(target, live, body, wanted, query, manager, apply_owners=None)

    def _finalized(self, target: _Target, live: dict[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
        """What a controller for namespaces does when one is empty. There is none here, as on a bare server."""
        if live["metadata"].get("deletionTimestamp") and not (body.get("spec") or {}).get("finalizers"):
            self._gone(target.resource, target.key)
        return live

    def _patched(self, target: _Target, body: Any, query: Mapping[str, str], manager: str, kind: str) -> dict[str, Any]:
        live = self._live(target)
        if kind == "application/apply-patch+yaml":
            return self._applied(target, live, body, query, manager)
        live = self._needed(target)
        if kind == "application/json-patch+json":
            raise RefusalError(415, "UnsupportedMediaType", "JSON patches are not understood here")
        if kind == "application/strategic-merge-patch+json" and target.resource.definition:
            message = "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
            raise RefusalError(415, "UnsupportedMediaType", message)
        new = _merged(live, body)
        wanted = (body.get("metadata") or {}).get("resourceVersion")
        return self._written(target, live, new, wanted, query, manager, apply_owners=None)

    def _applied(
        self, target: _Target, live: dict[str, Any] | None, body: dict[str, Any], query: Mapping[str, str], manager: str
    ) -> dict[str, Any]:
        if "fieldManager" not in query:
            raise RefusalError(400, "BadRequest", "fieldManager is required for apply patch")
        metadata = body.get("metadata") or {}
        wanted = metadata.get("resourceVersion")
        if live is None and target.subresource:
            self._needed(target)
        if live is None and metadata.get("uid"):
            why = f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object was found"
            raise stale(target.resource, target.name, why)
        envelope.addressed(target.resource, target.namespace, target.name, body)
        if (body.get("metadata") or {}).get("managedFields"):
            raise RefusalError(400, "BadRequest", "metadata.managedFields must be nil")
        if target.resource.definition and (wrong := untypable(target.resource.definition, body)):
            what = f"{target.namespace}/{target.name}; {target.resource.api_version}, Kind={target.resource.kind}"
            told = wrong[0] if len(wrong) == 1 else "errors:\n  " + "\n  ".join(wrong)
            raise RefusalError(500, "", f"failed to create typed patch object ({what}): {told}")
        asked = copy.deepcopy(body)
        (asked.get("metadata") or {}).pop("resourceVersion", None)
        if target.subresource:
            asked = {key: value for key, value in asked.items() if key in ("apiVersion", "kind", "status")}
        elif target.resource.status:
            asked.pop("status", None)
        if query.get("fieldValidation") == "Strict" and target.resource.definition:
            self._strictly(target.resource.definition, asked)
        if target.resource.definition:
            asked = {**pruned(target.resource.definition.versions[target.resource.version], asked)}
        owners = self.store.shelf(target.resource).owners.get(target.key, [])
        try:
            merged, after = apply.applied(
                live,
                asked,
                owners,
                manager,
                target.subresource,
                force=query.get("force") == "true",
                resource=target.resource,
            )
        except apply.ApplyConflictError as error:
            raise RefusalError(409, "Conflict", str(error)) from None
        if live is None:
            self._enter(target)
            made = self._admitted(target.resource, born(merged, target.namespace), None, query)
            return self._stored(target.resource, made, after)
        return self._written(target, live, merged, wanted, query, manager, apply_owners=after)

    def _written(
        self, target: _Target, live: dict[str, Any], new: dict[str, Any], wanted: str | None, query: Mapping[str, str], manager: str,
        apply_owners: list[apply.Owner] | None,
    ) -> dict[str, Any]:  # fmt: skip
        if wanted and wanted != live["metadata"]["resourceVersion"]:
            raise stale(target.resource, target.name, _MODIFIED)
        uid = (new.get("metadata") or {}).get("uid")
        if uid and uid != live["metadata"]["uid"] and not target.subresource:
            wrong = [f'metadata.uid: Invalid value: "{uid}": field is immutable']
            raise invalid(target.resource, target.name, wrong)
        made = copy.deepcopy(live)
        if target.subresource == "status":
            made["status"] = copy.deepcopy(new.get("status") or {})
        else:
            made = copy.deepcopy(dict(new))
            if target.resource.status:
                made.pop("status", None)
                if "status" in live:
                    made["status"] = copy.deepcopy(live["status"])
            kept = (
                "uid",
                "creationTimestamp",
                "generation",
                "namespace",
                "name",
                "deletionTimestamp",
                "resourceVersion",
            )
            made["metadata"] = {
                **made.get("metadata", {}),
                **{key: live["metadata"][key] for key in kept if key in live["metadata"]},
            }
        made = self._admitted(target.resource, made, live, query)
        owners = self.store.shelf(target.resource).owners.get(target.key, [])
        if _bare(made) == _bare(live) and (apply_owners is None or apply.alike(apply_owners, owners)):
            return self._versioned(target.resource, live)
        if any(made.get(key) != live.get(key) for key in (made.keys() | live.keys()) - {"metadata", "status"}):
            made["metadata"]["generation"] += 1
        after = (
            apply_owners
            if apply_owners is not None
            else apply.updated(live, made, owners, manager, target.subresource, target.resource)
        )
        stored = self._stored(target.resource, made, after)
        if stored["metadata"].get("deletionTimestamp") and not stored["metadata"].get("finalizers"):
            self._gone(target.resource, target.key)
        return stored

    def _admitted(
        self, resource: Resource, value: dict[str, Any], old: dict[str, Any] | None, query: Mapping[str, str]
    ) -> dict[str, Any]:
        name = value["metadata"].get("name", "")
        outside = list(envelope.faults(value["metadata"], old["metadata"] if old else None))
        if outside:
            raise invalid(resource, name, outside)
        if resource.kind == "CustomResourceDefinition":
            return _defined(value, old)
        if resource.definition is None:
            self._check_core(resource, value, old)
            return value
        if query.get("fieldValidation") == "Strict":
            self._strictly(resource.definition, value)
        schema = resource.definition.versions[resource.version]
        stored, wrong = resource.definition.admitted({**pruned(schema, value), "metadata": value["metadata"]}, old)
        if wrong:
            raise invalid(resource, name, wrong)
        return stored

    def _check_core(self, resource: Resource, value: dict[str, Any], old: dict[str, Any] | None) -> None:
        if resource.kind == "Job" and old is not None and old["spec"].get("template") != value["spec"].get("template"):
            raise RefusalError(
                422, "Invalid", f'Job.batch "{value["metadata"]["name"]}" is invalid: spec.template: field is immutable'
            )
        if resource.kind == "Pod" and old is None:
            account, room = value["spec"].get("serviceAccountName", "default"), value["metadata"]["namespace"]
            accounts = self.store.shelf(self._resources[("", "v1", "serviceaccounts")]).objects
            if (room, account) not in accounts:
                message = f'error looking up service account {room}/{account}: serviceaccount "{account}" not found'
                raise RefusalError(403, "Forbidden", message)
        if old is None and self._checks_core and resource.kind in _CORE_CHECKED:
            try:
                kubernetes_validate.validate(
                    {**value, "metadata": {"name": value["metadata"]["name"]}}, "1.36", strict=True
                )
            except kubernetes_validate.ValidationError as error:
                raise RefusalError(422, "Invalid", f"{resource.kind} is invalid: {error.message[:500]}") from None

    def _strictly(self, definition: Definition, value: Mapping[str, Any]) -> None:
        unknown = unknown_fields(definition, value)
        if unknown:
            raise RefusalError(
                400,
                "BadRequest",
                f'{definition.kind} in version "{value["apiVersion"].rpartition("/")[2]}" cannot be handled as a {definition.kind}: '
                f"strict decoding error: {', '.join(unknown)}",
            )

    def _stored(self, resource: Resource, value: dict[str, Any], owners: list[apply.Owner]) -> dict[str, Any]:
        value["metadata"]["managedFields"] = apply.managed_fields(owners, resource.api_version, now())
        if resource.kind == "CustomResourceDefinition" and not self.store.rehearsing:
            self._serve(Definition.of(value))
        return self._versioned(resource, self.store.put(resource, value, owners))

    def _serve(self, definition: Definition) -> None:
        """Objects that are there already are shown by the new definition, and their watches end."""
        for served in of_definition(definition):
            self._resources[(served.group, served.version, served.plural)] = served
            shelf = self.store.shelf(served)
            shelf.objects = {key: definition.read(value) for key, value in shelf.objects.items()}
            shelf.cut()

    def _unserve(self, definition: Definition) -> None:
        """Objects go with their definition."""
        for served in of_definition(definition):
            for key in list(self.store.shelf(served).objects):
                self._gone(served, key)
            self.store.shelf(served).cut()
            self._resources.pop((served.group, served.version, served.plural), None)

    def _deleted(self, target: _Target, options: Mapping[str, Any]) -> dict[str, Any]:
        live = self._needed(target)
        wanted = (options.get("preconditions") or {}).get("uid")
        if wanted and wanted != live["metadata"]["uid"]:
            message = f"the UID in the precondition ({wanted}) does not match the UID in record ({live['metadata']['uid']}). The object might have been deleted and then recreated"
            raise stale(target.resource, target.name, message)
        if live["metadata"].get("finalizers") or (live.get("spec") or {}).get("finalizers"):
            if not live["metadata"].get("deletionTimestamp"):
                marked = copy.deepcopy(live)
                marked["metadata"]["deletionTimestamp"] = now()
                marked["metadata"]["generation"] += 1  # controllers are to look again
                self._stored(target.resource, marked, self.store.shelf(target.resource).owners.get(target.key, []))
            return self._versioned(target.resource, self._needed(target))
        self._gone(target.resource, target.key)
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}

    def _swept(self, request: web.Request, target: _Target) -> dict[str, Any]:
        for one in self._selected(request.query, target):
            self._deleted(
                _Target(target.resource, one["metadata"].get("namespace", ""), one["metadata"]["name"], ""), {}
            )
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}

    def _gone(self, resource: Resource, key: Key) -> None:
        value = self.store.shelf(resource).objects[key]
        uid = value["metadata"]["uid"]
        if resource.kind == "CustomResourceDefinition" and not self.store.rehearsing:
            self._unserve(Definition.of(value))
        self.store.remove(resource, key)
        for place, name in self.store.dependents(uid):
            kind = next(one for one in self._resources.values() if one.store == place)
            with contextlib.suppress(RefusalError):
                self._deleted(_Target(kind, *name, ""), {})

    async def _watch(self, request: web.Request, target: _Target) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        with contextlib.suppress(ConnectionResetError, asyncio.CancelledError):
            async for event in self._events(request, target):
                await response.write(json.dumps(event).encode() + b"\n")
        return response

    async def _events(self, request: web.Request, target: _Target) -> AsyncIterator[dict[str, Any]]:
        query = request.query
        shelf, since = self.store.shelf(target.resource), int(query.get("resourceVersion") or 0)
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
                for one in self._selected(query, target):
                    yield {"type": "ADDED", "object": self._versioned(target.resource, one)}
            if whole:
                yield self._bookmark(target.resource, {"annotations": {"k8s.io/initial-events-end": "true"}})
            for change in past:
                for event in self._told(change, query, target):
                    yield event
            deadline = asyncio.get_running_loop().time() + float(query.get("timeoutSeconds") or 300)
            while (left := deadline - asyncio.get_running_loop().time()) > 0:
                try:
                    change_now = await asyncio.wait_for(queue.get(), min(left, self._bookmark_seconds))
                except TimeoutError:
                    if query.get("allowWatchBookmarks") in ("1", "true") and not self.silent:
                        yield self._bookmark(target.resource, {})
                    continue
                if change_now is None:
                    return
                if not self.silent:
                    for event in self._told(change_now, query, target):
                        yield event
        finally:
            shelf.watchers.discard(queue)

    def _bookmark(self, resource: Resource, metadata: Mapping[str, Any]) -> dict[str, Any]:
        mark = {"metadata": {**metadata, "resourceVersion": str(self.store.version)}}
        return {"type": "BOOKMARK", "object": self._versioned(resource, mark)}

    def _told(self, change: Change, query: Mapping[str, str], target: _Target) -> list[dict[str, Any]]:
        if target.namespace not in ("", change.value["metadata"].get("namespace", "")):
            return []
        matches = _matches(change.value, query)
        matched = change.before is not None and _matches(change.before, query)
        kind = change.type
        if kind == "MODIFIED" and matches and not matched:
            kind = "ADDED"
        elif kind == "MODIFIED" and matched and not matches:
            kind = "DELETED"
        elif not matches:
            return []
        return [{"type": kind, "object": self._versioned(target.resource, change.value)}]


@contextlib.asynccontextmanager
async def api_server(*definitions: Definition, **options: Any) -> AsyncIterator[ApiServer]:
    """A server that is stopped at the end."""
    server = ApiServer(*definitions, **options)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def _check_numbers(query: Mapping[str, str]) -> None:
    for name in ("timeoutSeconds", "limit"):
        if not query.get(name, "0").isdigit():
            raise RefusalError(400, "BadRequest", f'strconv.ParseInt: parsing "{query[name]}": invalid syntax')


def _rehearsed(query: Mapping[str, str], body: Any) -> bool:
    """Whether `dryRun=All` is asked for: in the path, or, for a deletion, in its options."""
    options = body.get("dryRun") if isinstance(body, dict) else None
    return query.get("dryRun") == "All" or options == ["All"]


def _held(namespace: dict[str, Any]) -> dict[str, Any]:
    """A namespace as it is made: it stays until somebody says that it is empty."""
    return {**namespace, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def _defined(value: dict[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
    """A definition as its controllers leave it: one that is served already says nothing new."""
    conditions = [
        {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now()}
        for kind, reason, message in (
            ("NamesAccepted", "NoConflicts", "no conflicts found"),
            ("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        )
    ]
    known = (old or {}).get("status") or {"conditions": conditions, "storedVersions": []}
    stored = dict.fromkeys([*known["storedVersions"], Definition.of(value).storage])
    return {**value, "status": {**known, "acceptedNames": value["spec"]["names"], "storedVersions": list(stored)}}


def _group(name: str, versions: list[str]) -> dict[str, Any]:
    found = [{"groupVersion": f"{name}/{version}", "version": version} for version in sorted(versions, reverse=True)]
    return {"name": name, "versions": found, "preferredVersion": found[0]}


def _bare(value: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {
        key: one
        for key, one in value["metadata"].items()
        if key not in ("managedFields", "resourceVersion", "generation")
    }
    return {**value, "metadata": metadata}


def _merged(live: Any, change: Any) -> Any:
    if not isinstance(change, dict):
        return copy.deepcopy(change)
    made = copy.deepcopy(live) if isinstance(live, dict) else {}
    for key, value in change.items():
        if value is None:
            made.pop(key, None)
        else:
            made[key] = _merged(made.get(key), value)
    return made


def _matches(value: Mapping[str, Any], query: Mapping[str, str]) -> bool:
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


def _json(value: Any, code: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(body=json.dumps(value).encode(), status=code, content_type="application/json", headers=headers)
