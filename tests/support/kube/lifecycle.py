"""What comes into the store and leaves it: definitions are served with their coming, finalizers keep, dependents go with their owner."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping
from typing import Any

from support.kube import apply
from support.kube.call import Call, Target
from support.kube.catalogue import Catalogue
from support.kube.crd import Definition
from support.kube.reading import needed, selected, versioned
from support.kube.refusal import RefusalError, stale
from support.kube.resource import Resource, of_definition
from support.kube.store import Key, Store, now


class Lifecycle:
    """Stores and deletes what was admitted.

    Args:
      store: Where the objects are.
      catalogue: What is served; definitions that come or go change it.
    """

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store = store
        self._catalogue = catalogue

    def keep(self, resource: Resource, value: dict[str, Any], owners: list[apply.Owner]) -> dict[str, Any]:
        """The object as it was stored."""
        value["metadata"]["managedFields"] = apply.managed_fields(owners, resource.api_version, now())
        if resource.kind == "CustomResourceDefinition" and not self._store.rehearsing:
            self._serve(Definition.of(value))
        return versioned(resource, self._store.put(resource, value, owners))

    def delete(self, target: Target, options: Mapping[str, Any]) -> dict[str, Any]:
        """Takes an object away, or marks it where finalizers keep it."""
        live = needed(self._store, target)
        wanted = (options.get("preconditions") or {}).get("uid")
        if wanted and wanted != live["metadata"]["uid"]:
            message = f"the UID in the precondition ({wanted}) does not match the UID in record ({live['metadata']['uid']}). The object might have been deleted and then recreated"
            raise stale(target.resource, target.name, message)
        if live["metadata"].get("finalizers") or (live.get("spec") or {}).get("finalizers"):
            if not live["metadata"].get("deletionTimestamp"):
                marked = copy.deepcopy(live)
                marked["metadata"]["deletionTimestamp"] = now()
                marked["metadata"]["generation"] += 1  # controllers are to look again
                self.keep(target.resource, marked, self._store.shelf(target.resource).owners.get(target.key, []))
            return versioned(target.resource, needed(self._store, target))
        self.drop(target.resource, target.key)
        return _success()

    def sweep(self, call: Call) -> dict[str, Any]:
        """Deletes what a selection chooses."""
        resource = call.target.resource
        for one in selected(self._store, call.target, call.query):
            self.delete(Target(resource, one["metadata"].get("namespace", ""), one["metadata"]["name"]), {})
        return _success()

    def drop(self, resource: Resource, key: Key) -> None:
        """Takes an object away whatever keeps it, and deletes what it owned."""
        value = self._store.shelf(resource).objects[key]
        uid = value["metadata"]["uid"]
        if resource.kind == "CustomResourceDefinition" and not self._store.rehearsing:
            self._unserve(Definition.of(value))
        self._store.remove(resource, key)
        for place, name in self._store.dependents(uid):
            kind = self._catalogue.kept_at(place)
            with contextlib.suppress(RefusalError):
                self.delete(Target(kind, *name), {})

    def _serve(self, definition: Definition) -> None:
        """Objects that are there already are shown by the new definition, and their watches end."""
        for served in of_definition(definition):
            self._catalogue.add(served)
            shelf = self._store.shelf(served)
            shelf.objects = {key: definition.read(value) for key, value in shelf.objects.items()}
            shelf.cut()

    def _unserve(self, definition: Definition) -> None:
        """Objects go with their definition."""
        for served in of_definition(definition):
            for key in list(self._store.shelf(served).objects):
                self.drop(served, key)
            self._store.shelf(served).cut()
            self._catalogue.remove(served)


def _success() -> dict[str, Any]:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
