"""Whether an object may be stored, and what the server makes of it before: pruning, defaults, rules, and checks of built-in kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import kubernetes_validate

from support.kube import envelope
from support.kube.call import Target
from support.kube.catalogue import Catalogue
from support.kube.crd import Definition, pruned, unknown_fields
from support.kube.refusal import RefusalError, invalid
from support.kube.resource import Resource
from support.kube.store import Store, now

_CORE_CHECKED = {"Job", "ConfigMap", "Pod", "Service"}


class Admission:
    """Judges, and stores nothing.

    Args:
      store: What is there.
      catalogue: What is served.
      checks_core: Whether built-in kinds are checked too; 30 ms an object.
    """

    def __init__(self, store: Store, catalogue: Catalogue, *, checks_core: bool) -> None:
        self._store = store
        self._catalogue = catalogue
        self._checks_core = checks_core

    def enter(self, target: Target) -> None:
        """Raises RefusalError unless something new may come into the namespace."""
        if not target.resource.namespaced:
            return
        found = self._store.shelf(self._catalogue.namespaces).objects.get(("", target.namespace))
        if found is None:
            raise RefusalError(404, "NotFound", f'namespaces "{target.namespace}" not found', target.namespace)
        if found["metadata"].get("deletionTimestamp"):
            message = f"unable to create new content in namespace {target.namespace} because it is being terminated"
            raise RefusalError(403, "Forbidden", message, target.name)

    def admitted(
        self, resource: Resource, value: dict[str, Any], old: dict[str, Any] | None, *, strict: bool
    ) -> dict[str, Any]:
        """The object as it may be stored; raises RefusalError if it may not. `old` is what an update finds."""
        name = value["metadata"].get("name", "")
        outside = list(envelope.faults(value["metadata"], old["metadata"] if old else None))
        if outside:
            raise invalid(resource, name, outside)
        if resource.kind == "CustomResourceDefinition":
            return established(value, old)
        if resource.definition is None:
            self._check_core(resource, value, old)
            return value
        if strict:
            refuse_unknown(resource.definition, value)
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
            if (room, account) not in self._store.shelf(self._catalogue.service_accounts).objects:
                message = f'error looking up service account {room}/{account}: serviceaccount "{account}" not found'
                raise RefusalError(403, "Forbidden", message)
        if old is None and self._checks_core and resource.kind in _CORE_CHECKED:
            try:
                kubernetes_validate.validate(
                    {**value, "metadata": {"name": value["metadata"]["name"]}}, "1.36", strict=True
                )
            except kubernetes_validate.ValidationError as error:
                raise RefusalError(422, "Invalid", f"{resource.kind} is invalid: {error.message[:500]}") from None


def refuse_unknown(definition: Definition, value: Mapping[str, Any]) -> None:
    """Strict validation: raises RefusalError for fields that the definition does not know."""
    unknown = unknown_fields(definition, value)
    if unknown:
        raise RefusalError(
            400,
            "BadRequest",
            f'{definition.kind} in version "{value["apiVersion"].rpartition("/")[2]}" cannot be handled as a {definition.kind}: '
            f"strict decoding error: {', '.join(unknown)}",
        )


def held(namespace: dict[str, Any]) -> dict[str, Any]:
    """A namespace as it is made: it stays until somebody says that it is empty."""
    return {**namespace, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def established(definition: dict[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
    """A definition as its controllers leave it: one that is served already says nothing new."""
    conditions = [
        {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now()}
        for kind, reason, message in (
            ("NamesAccepted", "NoConflicts", "no conflicts found"),
            ("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        )
    ]
    known = (old or {}).get("status") or {"conditions": conditions, "storedVersions": []}
    stored = dict.fromkeys([*known["storedVersions"], Definition.of(definition).storage])
    names = definition["spec"]["names"]
    return {**definition, "status": {**known, "acceptedNames": names, "storedVersions": list(stored)}}
