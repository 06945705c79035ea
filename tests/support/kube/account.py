"""The operator's account with the rights that the chart gives it, so that scenarios fail where it would be refused."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncIterator
from typing import Any

import yaml

from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.kind import Kind
from support.helm import CHARTS, helm, parsed
from support.kube.authorization import Rights, Rule
from support.kube.tenancy import SERVICE_ACCOUNT

NAME = "gyeol-cluster"
_TOKEN = Kind("", "v1", "serviceaccounts", "TokenRequest")
_RBAC = "rbac.authorization.k8s.io"
_ROLES = {
    "Role": Kind(_RBAC, "v1", "roles", "Role"),
    "RoleBinding": Kind(_RBAC, "v1", "rolebindings", "RoleBinding"),
    "ClusterRole": Kind(_RBAC, "v1", "clusterroles", "ClusterRole"),
    "ClusterRoleBinding": Kind(_RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding"),
}


def rights(namespace: str) -> Rights:
    """What the account may do, for a server that has no roles."""
    rules: dict[str, list[Rule]] = {"Role": [], "ClusterRole": []}
    for one in _rendered(namespace):
        rules.get(one["kind"], []).extend(one.get("rules", ()))
    return Rights(f"system:serviceaccount:{namespace}:{NAME}", namespace, rules["Role"], rules["ClusterRole"])


@contextlib.asynccontextmanager
async def account(cluster: Cluster, namespace: str, admin: str) -> AsyncIterator[str]:
    """The text of a kubeconfig with the account's token; the administrator's own text on a server that has no roles."""
    config = yaml.safe_load(admin)
    if not await cluster.has(_ROLES["Role"]):
        yield admin
        return
    made: list[tuple[Kind, Object]] = []
    try:
        place = {"name": NAME, "namespace": namespace}
        await cluster.create(SERVICE_ACCOUNT, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": place})
        for one in _rendered(namespace):
            kind = _ROLES[one["kind"]]
            inside = {"namespace": namespace} if one["kind"] in ("Role", "RoleBinding") else {}
            value = await cluster.apply(kind, {**one, "metadata": {**one["metadata"], **inside}}, manager="helm")
            made.append((kind, value))
        yield yaml.safe_dump(_with_token(config, await _token(cluster, namespace)))
    finally:
        for kind, value in made:
            await cluster.delete(kind, {"metadata": {"namespace": "", **value["metadata"]}})


@functools.cache
def _rendered(namespace: str) -> tuple[Object, ...]:
    """Roles of the account and what binds them, as `helm install` would make them in a namespace."""
    text = helm().text(CHARTS / "gyeol", "--namespace", namespace, "--show-only", "templates/access.yaml")
    objects = parsed(text)
    bindings = [one for one in objects if any(each["name"] == NAME for each in one.get("subjects", ()))]
    bound = {(one["roleRef"]["kind"], one["roleRef"]["name"]) for one in bindings}
    roles = [one for one in objects if (one["kind"], one["metadata"]["name"]) in bound]
    assert len(roles) == len(bound) >= 2, f"the chart binds {bound} and makes {len(roles)} of them"
    return (*roles, *bindings)


async def _token(cluster: Cluster, namespace: str) -> str:
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": []}}
    path = _TOKEN.path(namespace, NAME, "token")
    answer = await cluster._asked("POST", _TOKEN, path, {}, request)
    return str(answer["status"]["token"])


def _with_token(config: Any, token: str) -> Any:
    """The same server as the current context's, asked by a bearer."""
    context = next(one for one in config["contexts"] if one["name"] == config["current-context"])
    return {
        **config,
        "users": [{"name": NAME, "user": {"token": token}}],
        "contexts": [{**context, "context": {**context["context"], "user": NAME}}],
    }
