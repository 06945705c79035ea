"""Pods under the restricted security profile: no root, no token, nothing writable but what is mounted for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gyeol.reconcile.manifest.site import ARTIFACTS, Site, Value
from gyeol.reconcile.spec.training import Resources, Toleration

USER = 10001
"""The same as of the services: they write into one volume, and a volume belongs to one group."""
SETTINGS = "/etc/gyeol/run"
"""Where pods see the files of the run's ConfigMap."""
POLICIES = "/etc/gyeol/policies"
KEY = "/etc/gyeol/key"

_CONTAINER_SECURITY: Value = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
_POD_SECURITY: Value = {
    "runAsNonRoot": True,
    "runAsUser": USER,
    "runAsGroup": USER,
    "fsGroup": USER,
    "fsGroupChangePolicy": "OnRootMismatch",
    "seccompProfile": {"type": "RuntimeDefault"},
}


@dataclass(frozen=True)
class Container:
    """One container."""

    name: str
    image: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    resources: Value = field(default_factory=dict)
    mounts: Sequence[tuple[str, str]] = ()
    """Volume and path, beside the artifact store and `/tmp`."""
    working_folder: str = ""
    sidecar: bool = False
    """It runs beside the others and ends after them."""
    secret: str = ""
    """Secret that becomes environment."""


def container(one: Container, site: Site) -> Value:
    """A container as Kubernetes writes it."""
    mounts = [("artifacts", ARTIFACTS), ("tmp", "/tmp"), *one.mounts]  # noqa: S108
    made: Value = {
        "name": one.name,
        "image": one.image,
        "imagePullPolicy": site.pull_policy,
        "command": list(one.argv),
        "env": [{"name": name, "value": value} for name, value in {"HOME": "/tmp", **one.env}.items()],  # noqa: S108
        "resources": one.resources,
        "securityContext": _CONTAINER_SECURITY,
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in mounts],
    }
    if one.working_folder:
        made["workingDir"] = one.working_folder
    if one.sidecar:
        made["restartPolicy"] = "Always"
    if one.secret:
        made["envFrom"] = [{"secretRef": {"name": one.secret}}]
    return made


def volumes(site: Site, *more: Value) -> list[Value]:
    """The artifact store, `/tmp`, and what else is asked for."""
    store: Value = {"name": "artifacts", "persistentVolumeClaim": {"claimName": site.store.claim}}
    if site.store.kind == "s3":
        store = {"name": "artifacts", "emptyDir": {}}
    return [store, {"name": "tmp", "emptyDir": {}}, *more]


def pod(
    site: Site, containers: Sequence[Value], first: Sequence[Value], more: Sequence[Value], **fields: object
) -> Value:
    """A pod specification.

    Args:
      site: The cluster.
      containers: Containers.
      first: Init containers, in order; sidecars among them.
      more: Volumes beside the artifact store and `/tmp`.
      fields: Further fields; empty ones are left out.
    """
    made: Value = {
        "serviceAccountName": site.service_account,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": _POD_SECURITY,
        "containers": list(containers),
        "volumes": volumes(site, *more),
    }
    if first:
        made["initContainers"] = list(first)
    if site.pull_secrets:
        made["imagePullSecrets"] = [{"name": name} for name in site.pull_secrets]
    made.update({name: value for name, value in fields.items() if value})
    return made


def resources(asked: Resources, least: Mapping[str, str] | None = None) -> Value:
    """Resources as Kubernetes writes them; requests that are absent equal the limits.

    Args:
      asked: What the specification asks for.
      least: Requests where it asks for nothing.
    """
    limits: dict[str, object] = dict(asked.limits)
    requests: dict[str, object] = {**(least or {}), **limits, **asked.requests}
    made: Value = {}
    if limits:
        made["limits"] = limits
    if requests:
        made["requests"] = requests
    return made


def tolerations(asked: Sequence[Toleration]) -> list[Value]:
    """Tolerations with empty fields left out, as Kubernetes writes them."""
    return [{key: value for key, value in one.model_dump(by_alias=True).items() if value} for one in asked]


def gpus(asked: Resources) -> int:
    """Accelerators in the limits: any resource whose name ends in `gpu`."""
    return sum(int(count) for name, count in asked.limits.items() if name.rpartition("/")[2] == "gpu")
