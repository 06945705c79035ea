"""Writes: create, replace, merge patch and server-side apply, with what is stale, what exists already and what changed nothing."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from support.kube import apply, envelope
from support.kube.admission import Admission, held, refuse_unknown
from support.kube.call import Call, Target
from support.kube.catalogue import Catalogue
from support.kube.crd import pruned, untypable
from support.kube.lifecycle import Lifecycle
from support.kube.reading import live_object, needed, versioned
from support.kube.refusal import RefusalError, invalid, stale
from support.kube.store import Store, born

_MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
_KEPT = ("uid", "creationTimestamp", "generation", "namespace", "name", "deletionTimestamp", "resourceVersion")
"""Metadata that no writer changes."""


class Writer:
    """Makes of a request the object to store. Every method gives the object as it is stored, or raises RefusalError.

    Args:
      store: What is there.
      catalogue: What is served.
      admission: Judges what is to be stored.
      lifecycle: Stores it.
    """

    def __init__(self, store: Store, catalogue: Catalogue, admission: Admission, lifecycle: Lifecycle) -> None:
        self._store = store
        self._catalogue = catalogue
        self._admission = admission
        self._lifecycle = lifecycle

    def create(self, call: Call) -> dict[str, Any]:
        target, resource = call.target, call.target.resource
        envelope.addressed(resource, target.namespace, "", call.body)
        self._admission.enter(target)
        made = born(call.body, target.namespace)
        if resource == self._catalogue.namespaces:
            made = held(made)
        if resource.status:
            made.pop("status", None)
        made = self._admission.admitted(resource, made, None, strict=call.strict)
        named = Target(resource, target.namespace, made["metadata"]["name"])
        if live_object(self._store, named) is not None:
            message = f'{resource.qualified} "{named.name}" already exists'
            raise RefusalError(409, "AlreadyExists", message, named.name)
        return self._lifecycle.keep(resource, made, apply.updated(None, made, [], call.manager, "", resource))

    def replace(self, call: Call) -> dict[str, Any]:
        target, body = call.target, call.body
        live = needed(self._store, target)
        if target.subresource == "finalize":
            return self._finalize(target, live, body)
        envelope.addressed(target.resource, target.namespace, target.name, body)
        wanted = (body.get("metadata") or {}).get("resourceVersion")
        if not wanted and target.resource.definition:
            wrong = ["metadata.resourceVersion: Invalid value: 0: must be specified for an update"]
            raise invalid(target.resource, target.name, wrong)
        return self._write(call, live, body, wanted)

    def patch(self, call: Call) -> dict[str, Any]:
        if call.content_type == "application/apply-patch+yaml":
            return self._apply(call)
        live = needed(self._store, call.target)
        if call.content_type == "application/json-patch+json":
            raise RefusalError(415, "UnsupportedMediaType", "JSON patches are not understood here")
        if call.content_type == "application/strategic-merge-patch+json" and call.target.resource.definition:
            message = "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
            raise RefusalError(415, "UnsupportedMediaType", message)
        wanted = (call.body.get("metadata") or {}).get("resourceVersion")
        return self._write(call, live, _merged(live, call.body), wanted)

    def _finalize(self, target: Target, live: dict[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
        """What a controller for namespaces does when one is empty. There is none here, as on a bare server."""
        if live["metadata"].get("deletionTimestamp") and not (body.get("spec") or {}).get("finalizers"):
            self._lifecycle.drop(target.resource, target.key)
        return live

    def _apply(self, call: Call) -> dict[str, Any]:
        target, resource = call.target, call.target.resource
        live = live_object(self._store, target)
        self._check_applicable(call, live)
        owners = self._store.shelf(resource).owners.get(target.key, [])
        try:
            merged, after = apply.applied(
                live,
                _asked(call),
                owners,
                call.manager,
                target.subresource,
                force=call.query.get("force") == "true",
                resource=resource,
            )
        except apply.ApplyConflictError as error:
            raise RefusalError(409, "Conflict", str(error)) from None
        if live is None:
            self._admission.enter(target)
            made = self._admission.admitted(resource, born(merged, target.namespace), None, strict=call.strict)
            return self._lifecycle.keep(resource, made, after)
        wanted = (call.body.get("metadata") or {}).get("resourceVersion")
        return self._write(call, live, merged, wanted, after)

    def _check_applicable(self, call: Call, live: dict[str, Any] | None) -> None:
        target, resource = call.target, call.target.resource
        if "fieldManager" not in call.query:
            raise RefusalError(400, "BadRequest", "fieldManager is required for apply patch")
        metadata = call.body.get("metadata") or {}
        if live is None and target.subresource:
            needed(self._store, target)
        if live is None and metadata.get("uid"):
            why = f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object was found"
            raise stale(resource, target.name, why)
        envelope.addressed(resource, target.namespace, target.name, call.body)
        if metadata.get("managedFields"):
            raise RefusalError(400, "BadRequest", "metadata.managedFields must be nil")
        if resource.definition and (wrong := untypable(resource.definition, call.body)):
            what = f"{target.namespace}/{target.name}; {resource.api_version}, Kind={resource.kind}"
            told = wrong[0] if len(wrong) == 1 else "errors:\n  " + "\n  ".join(wrong)
            raise RefusalError(500, "", f"failed to create typed patch object ({what}): {told}")

    def _write(
        self,
        call: Call,
        live: dict[str, Any],
        new: Mapping[str, Any],
        wanted: str | None,
        owners_after: list[apply.Owner] | None = None,
    ) -> dict[str, Any]:
        """Stores `new` over `live`, unless nothing changes.

        Args:
          call: What was asked.
          live: The object as it is stored.
          new: What it is to be.
          wanted: The version that the writer saw, if it says so.
          owners_after: Owners of the fields as an apply leaves them; None for other writes, where they follow from what changed.
        """
        target, resource = call.target, call.target.resource
        if wanted and wanted != live["metadata"]["resourceVersion"]:
            raise stale(resource, target.name, _MODIFIED)
        uid = (new.get("metadata") or {}).get("uid")
        if uid and uid != live["metadata"]["uid"] and not target.subresource:
            raise invalid(resource, target.name, [f'metadata.uid: Invalid value: "{uid}": field is immutable'])
        made = self._admission.admitted(resource, _replaced(target, live, new), live, strict=call.strict)
        owners = self._store.shelf(resource).owners.get(target.key, [])
        if _bare(made) == _bare(live) and (owners_after is None or apply.alike(owners_after, owners)):
            return versioned(resource, live)
        if any(made.get(key) != live.get(key) for key in (made.keys() | live.keys()) - {"metadata", "status"}):
            made["metadata"]["generation"] += 1
        if owners_after is None:
            owners_after = apply.updated(live, made, owners, call.manager, target.subresource, resource)
        stored = self._lifecycle.keep(resource, made, owners_after)
        if stored["metadata"].get("deletionTimestamp") and not stored["metadata"].get("finalizers"):
            self._lifecycle.drop(resource, target.key)
        return stored


def _asked(call: Call) -> dict[str, Any]:
    """What an apply is about: its own part of the object, without fields that are not known."""
    resource = call.target.resource
    asked: dict[str, Any] = copy.deepcopy(call.body)
    (asked.get("metadata") or {}).pop("resourceVersion", None)
    if call.target.subresource:
        asked = {key: value for key, value in asked.items() if key in ("apiVersion", "kind", "status")}
    elif resource.status:
        asked.pop("status", None)
    if resource.definition is None:
        return asked
    if call.strict:
        refuse_unknown(resource.definition, asked)
    return {**pruned(resource.definition.versions[resource.version], asked)}


def _replaced(target: Target, live: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """`live` with what this subresource may change taken from `new`."""
    if target.subresource == "status":
        made = copy.deepcopy(dict(live))
        made["status"] = copy.deepcopy(new.get("status") or {})
        return made
    made = copy.deepcopy(dict(new))
    if target.resource.status:
        made.pop("status", None)
        if "status" in live:
            made["status"] = copy.deepcopy(live["status"])
    own = {key: live["metadata"][key] for key in _KEPT if key in live["metadata"]}
    made["metadata"] = {**made.get("metadata", {}), **own}
    return made


def _bare(value: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a write that changes nothing would change."""
    noise = ("managedFields", "resourceVersion", "generation")
    return {**value, "metadata": {key: one for key, one in value["metadata"].items() if key not in noise}}


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
