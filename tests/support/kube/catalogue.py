"""The kinds that are served: the server's own, and those of definitions as they come and go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from support.kube.crd import Definition
from support.kube.resource import BUILT_IN, Resource, of_definition


class Catalogue:
    """Every kind in every version that is served now.

    Args:
      definitions: Kinds that are there from the beginning.
    """

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self._resources: dict[tuple[str, str, str], Resource] = {}
        for resource in (*BUILT_IN, *(one for definition in definitions for one in of_definition(definition))):
            self.add(resource)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._resources.values())

    @property
    def namespaces(self) -> Resource:
        return self._resources[("", "v1", "namespaces")]

    @property
    def service_accounts(self) -> Resource:
        return self._resources[("", "v1", "serviceaccounts")]

    @property
    def definitions(self) -> Resource:
        return self._resources[("apiextensions.k8s.io", "v1", "customresourcedefinitions")]

    def at(self, group: str, version: str, plural: str) -> Resource | None:
        """What a path names, if it is served."""
        return self._resources.get((group, version, plural))

    def kind(self, kind: str) -> Resource:
        return next(one for one in self if one.kind == kind)

    def kept_at(self, place: tuple[str, str]) -> Resource:
        """A version of the kind whose objects are kept there, see `Resource.store`."""
        return next(one for one in self if one.store == place)

    def add(self, resource: Resource) -> None:
        self._resources[(resource.group, resource.version, resource.plural)] = resource

    def remove(self, resource: Resource) -> None:
        self._resources.pop((resource.group, resource.version, resource.plural), None)
