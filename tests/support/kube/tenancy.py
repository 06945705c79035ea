"""Room on an API server that others may use too: definitions that lack are installed, a namespace is made, and both are taken away again.

There may be no controllers at all beside the server: nobody then collects garbage, makes accounts or lets a namespace go.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.errors import ClusterError, GoneError, KindMissingError, UnreachableError
from gyeol.cluster.kind import CHILDREN, CONFIG_MAP, DEFINITION, EVENT, OURS, POD, SERVICE, WORKLOAD, Kind
from support.kube.crd import Definition

NAMESPACE = Kind("", "v1", "namespaces", "Namespace")
SERVICE_ACCOUNT = Kind("", "v1", "serviceaccounts", "ServiceAccount")
LEASE = Kind("coordination.k8s.io", "v1", "leases", "Lease")
MANAGER = "gyeol-test"
SECONDS = 120.0
"""How long the server may take to serve a new kind, or to let something go."""
_CONTROLLER_SECONDS = 3.0
"""How long a controller for namespaces is waited for before there is none."""


def kubeconfig() -> Path:
    """The file that KUBECONFIG names."""
    named = os.environ.get("KUBECONFIG", "")
    if not named or not Path(named).is_file():
        pytest.fail(
            f"KUBECONFIG is {named!r}, which is no file; name one whose user may do everything on a cluster for tests"
        )
    return Path(named)


@contextlib.asynccontextmanager
async def installed(cluster: Cluster, definitions: Sequence[Definition]) -> AsyncIterator[list[str]]:
    """The definitions, those that lacked or were other ones put there; gives the names of those that lacked.

    Kinds that others installed stay as they are, and so do their objects.
    """
    lacking: list[str] = []
    for one in definitions:
        known = await _definition(cluster, one)
        if known is None:
            lacking.append(one.document["metadata"]["name"])
        elif one.group != OURS[0].group or _schemas(known) == _schemas(one.document):
            continue
        await cluster.apply(DEFINITION, one.document, manager=MANAGER)
    try:
        for one in definitions:
            await _until(lambda one=one: _serves(cluster, one), f"{one.kind} is served")  # type: ignore[misc]
        yield lacking
    finally:
        for one in definitions:
            known = await _definition(cluster, one)
            if known is not None and known["metadata"]["name"] in lacking:
                await cluster.delete(DEFINITION, {"metadata": {**known["metadata"], "namespace": ""}})


@contextlib.asynccontextmanager
async def namespace(cluster: Cluster) -> AsyncIterator[str]:
    """A namespace of one's own, with the account that pods need."""
    name = f"gyeol-test-{uuid.uuid4().hex[:8]}"
    await cluster.create(NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}
    await cluster.create(SERVICE_ACCOUNT, account)
    try:
        yield name
    finally:
        await _swept(cluster, name)


async def _swept(cluster: Cluster, name: str) -> None:
    for kind in (*OURS, *CHILDREN, WORKLOAD, POD, CONFIG_MAP, SERVICE, EVENT, LEASE, SERVICE_ACCOUNT):
        with contextlib.suppress(GoneError, KindMissingError):
            found, _ = await cluster.list(kind, name)
            for value in found:
                await cluster.delete(kind, value)
    found = await cluster.get(NAMESPACE, "", name)
    await cluster.delete(NAMESPACE, {"metadata": {**found["metadata"], "namespace": ""}})
    with contextlib.suppress(AssertionError):
        await _until(lambda: _gone(cluster, name), f"{name} is gone", _CONTROLLER_SECONDS)
        return
    empty = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}
    with contextlib.suppress(ClusterError):  # a controller that was only slow is at it too
        await cluster._asked("PUT", NAMESPACE, NAMESPACE.path("", name, "finalize"), {}, empty)
    await _until(lambda: _gone(cluster, name), f"{name} is gone")


async def _definition(cluster: Cluster, one: Definition) -> Object | None:
    try:
        return await cluster.get(DEFINITION, "", str(one.document["metadata"]["name"]))
    except GoneError:
        return None


def _schemas(document: Any) -> Any:
    return [(one["name"], one["schema"], one.get("additionalPrinterColumns")) for one in document["spec"]["versions"]]


async def _serves(cluster: Cluster, one: Definition) -> bool:
    try:
        await cluster.list(Kind(one.group, one.storage, one.plural, one.kind), "")
    except (GoneError, KindMissingError):
        return False
    known = await _definition(cluster, one)
    conditions = ((known or {}).get("status") or {}).get("conditions") or []
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


async def _gone(cluster: Cluster, name: str) -> bool:
    try:
        await cluster.get(NAMESPACE, "", name)
    except GoneError:
        return True
    return False


async def _until(holds: Any, told: str, seconds: float = SECONDS) -> None:
    deadline, last = time.monotonic() + seconds, ""
    while time.monotonic() < deadline:
        try:
            if await holds():
                return
        except UnreachableError as error:
            last = str(error)
        except ClusterError as error:
            raise AssertionError(f"waited until {told}: {error}") from error
        await asyncio.sleep(0.2)
    raise AssertionError(f"waited {seconds:.0f} s until {told}, in vain {last}")
