"""What clients ask before they ask for objects: version, health, groups, kinds and the outline of OpenAPI."""

from __future__ import annotations

from typing import Any

from support.kube.catalogue import Catalogue


def discovered(path: str, catalogue: Catalogue) -> dict[str, Any] | None:
    """The document at a path, which has no slash at either end; None where there is none."""
    groups = sorted({(one.group, one.version) for one in catalogue if one.group})
    served = [("", "v1"), *groups]
    if path == "version":
        return {"major": "1", "minor": "36", "gitVersion": "v1.36.0-test"}
    if path in ("healthz", "readyz", "livez"):
        return {}
    if path == "api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "apis":
        return _groups(groups)
    if path == "openapi/v3":
        roots = [_root(group, version) for group, version in served]
        return {"paths": {root: {"serverRelativeURL": f"/openapi/v3/{root}"} for root in roots}}
    if path.startswith("openapi/v3/"):
        return _openapi(path.removeprefix("openapi/v3/"), catalogue)
    for group, version in served:
        if path == _root(group, version):
            return _kinds(group, version, catalogue)
    return None


def _root(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else "api/v1"


def _groups(groups: list[tuple[str, str]]) -> dict[str, Any]:
    named: dict[str, list[str]] = {}
    for group, version in groups:
        named.setdefault(group, []).append(version)
    return {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [_group(name, versions) for name, versions in named.items()],
    }


def _group(name: str, versions: list[str]) -> dict[str, Any]:
    found = [{"groupVersion": f"{name}/{version}", "version": version} for version in sorted(versions, reverse=True)]
    return {"name": name, "versions": found, "preferredVersion": found[0]}


def _kinds(group: str, version: str, catalogue: Catalogue) -> dict[str, Any]:
    mine = [entry for one in catalogue if (one.group, one.version) == (group, version) for entry in one.discovered()]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group}/{version}".strip("/"),
        "resources": mine,
    }


def _openapi(path: str, catalogue: Catalogue) -> dict[str, Any]:
    """No schemas, only what tells kubectl that the server validates fields."""
    group, version = path.removeprefix("apis/").split("/") if path.startswith("apis/") else ("", "v1")
    paths = {
        f"/{path}/namespaces/{{namespace}}/{one.plural}/{{name}}": {
            "patch": {
                "parameters": [{"name": "fieldValidation", "in": "query"}],
                "x-kubernetes-group-version-kind": {"group": one.group, "version": one.version, "kind": one.kind},
            }
        }
        for one in catalogue
        if (one.group, one.version) == (group, version)
    }
    return {
        "openapi": "3.0.0",
        "info": {"title": "test", "version": "1"},
        "paths": paths,
        "components": {"schemas": {}},
    }
