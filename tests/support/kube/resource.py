"""Kinds that the server knows: a few of its own, and what definitions add."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from support.kube.crd import Definition

LIST_KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "volumeMounts": ("mountPath",),
    "ports": ("containerPort", "protocol"),
    "ownerReferences": ("uid",),
    "imagePullSecrets": ("name",),
}
"""Lists of built-in kinds that are maps, by field name."""
SERVICE_PORTS = ("port", "protocol")
"""Keys of the ports of a Service, which are other ones than those of a container."""


@dataclass(frozen=True)
class Resource:
    """One kind in one version."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    status: bool = False
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    definition: Definition | None = field(default=None, compare=False)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """As messages name it, for example `jobs.batch`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def qualified_kind(self) -> str:
        """As refusals of its objects name it, for example `Job.batch`."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def store(self) -> tuple[str, str]:
        """Versions of one kind share their objects."""
        return self.group, self.plural

    def discovered(self) -> list[dict[str, Any]]:
        verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
        own = {
            "name": self.plural,
            "singularName": self.kind.lower(),
            "namespaced": self.namespaced,
            "kind": self.kind,
            "verbs": verbs,
            "shortNames": list(self.short),
            "categories": list(self.categories),
        }
        status = {
            "name": f"{self.plural}/status",
            "singularName": "",
            "namespaced": self.namespaced,
            "kind": self.kind,
            "verbs": ["get", "patch", "update"],
        }
        return [own, status] if self.status else [own]


BUILT_IN = (
    Resource("", "v1", "namespaces", "Namespace", namespaced=False, status=True, short=("ns",)),
    Resource("", "v1", "pods", "Pod", status=True, short=("po",)),
    Resource("", "v1", "configmaps", "ConfigMap", short=("cm",)),
    Resource("", "v1", "secrets", "Secret"),
    Resource("", "v1", "serviceaccounts", "ServiceAccount", short=("sa",)),
    Resource("", "v1", "services", "Service", status=True, short=("svc",)),
    Resource("", "v1", "events", "Event", short=("ev",)),
    Resource("batch", "v1", "jobs", "Job", status=True),
    Resource("coordination.k8s.io", "v1", "leases", "Lease"),
    Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False, status=True, short=("crd",)),
)  # fmt: skip


def of_definition(definition: Definition) -> list[Resource]:
    names = definition.document["spec"]["names"]
    return [
        Resource(
            definition.group,
            version,
            definition.plural,
            definition.kind,
            definition.scope == "Namespaced",
            version in definition.status,
            tuple(names.get("shortNames", ())),
            tuple(names.get("categories", ())),
            definition,
        )
        for version in definition.versions
    ]
