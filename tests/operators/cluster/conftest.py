from __future__ import annotations

import asyncio
import contextlib
import copy
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gyeol.cluster.kind import CHILDREN, CONFIG_MAP, DEFINITION, POD, SERVICE, WORKLOAD, Kind
from gyeol.cluster.kind import OURS as KINDS_OF_OURS
from gyeol.reconcile.crd.definition import KINDS, definition
from support.kube.crd import Definition
from support.kube.estate import Estate, estate
from support.kube.operation import Operation, operation
from support.kube.server import ApiServer, api_server
from support.kube.upstream import FOLDER, upstream
from support.world import DOCUMENT

NAMESPACE = Kind("", "v1", "namespaces", "Namespace")
SERVICE_ACCOUNT = Kind("", "v1", "serviceaccounts", "ServiceAccount")
OURS = [Definition.of(definition(kind)) for kind in KINDS]


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Estate]:
    with estate(tmp_path_factory.mktemp("estate")) as one:
        yield one


@pytest.fixture
def run_object() -> Callable[..., dict[str, Any]]:
    """A small run; parts of its specification are merged one level deep."""

    def made(name: str = "ko-test", **spec: Any) -> dict[str, Any]:
        value: dict[str, Any] = yaml.safe_load(DOCUMENT)
        value["metadata"]["name"] = name
        value["spec"]["data"]["target"]["acceptedPerStratum"] = 2
        for key, one in spec.items():
            before = value["spec"].get(key)
            value["spec"][key] = {**before, **one} if isinstance(before, dict) and isinstance(one, dict) else one
        return value

    return made


WHERE = ["server", pytest.param("cluster", marks=pytest.mark.needs_cluster)]


@pytest.fixture(params=WHERE)
def stage_set(request: pytest.FixtureRequest, services: Estate, tmp_path: Path) -> Callable[..., Any]:
    """A stage for whole runs: an API server of one's own, or a namespace of one's own on the one that KUBECONFIG names."""
    if not FOLDER.is_dir():
        pytest.skip(
            "the definitions of PyTorchJob, TrainJob, InferenceService and Workload are not beside the repository"
        )
    return _own_server(services, tmp_path) if request.param == "server" else _own_namespace(services)


def _own_server(services: Estate, folder: Path) -> Callable[..., Any]:
    @contextlib.asynccontextmanager
    async def made(
        without: tuple[str, ...] = (), old_kserve: bool = False, **settings: Any
    ) -> AsyncIterator[tuple[ApiServer | None, Operation]]:
        others = [kind for kind in upstream() if kind.kind not in without]
        if old_kserve:
            others = [_without_canary(kind) if kind.kind == "InferenceService" else kind for kind in others]
        async with api_server(*OURS, *others, bookmark_seconds=1.0) as server:
            config = folder / f"kubeconfig-{uuid.uuid4().hex[:6]}"
            config.write_text(server.kubeconfig)
            async with operation(services, config, "default", **settings) as one:
                yield server, one

    return made


def _own_namespace(services: Estate) -> Callable[..., Any]:
    @contextlib.asynccontextmanager
    async def made(**settings: Any) -> AsyncIterator[tuple[ApiServer | None, Operation]]:
        if settings.keys() & {"without", "old_kserve"}:
            pytest.skip("needs an API server of one's own")
        config = Path(os.environ["KUBECONFIG"])
        namespace = f"gyeol-test-{uuid.uuid4().hex[:8]}"
        async with operation(services, config, namespace, **settings) as one:
            for definition in (*OURS, *upstream()):
                await one.cluster.apply(DEFINITION, definition.document, manager="gyeol-test")
            await _established(one)
            await one.cluster.create(
                NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            )
            account = {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": "default", "namespace": namespace},
            }
            await one.cluster.create(SERVICE_ACCOUNT, account)
            try:
                yield None, one
            finally:
                await _swept(one)

    return made


async def _established(one: Operation) -> None:
    for kind in (*KINDS_OF_OURS, *CHILDREN):
        for _ in range(100):
            if await one.cluster.has(kind):
                break
            await asyncio.sleep(0.2)


async def _swept(one: Operation) -> None:
    """Deletes what a test made; a bare API server collects no garbage."""
    for kind in (*KINDS_OF_OURS, *CHILDREN, WORKLOAD, POD, CONFIG_MAP, SERVICE):
        found, _ = await one.cluster.list(kind, one.namespace)
        for value in found:
            await one.cluster.delete(kind, value)
    found, _ = await one.cluster.list(NAMESPACE, "")
    for value in found:
        if value["metadata"]["name"] == one.namespace:
            await one.cluster.delete(NAMESPACE, {"metadata": {**value["metadata"], "namespace": ""}})


def _without_canary(definition: Definition) -> Definition:
    """InferenceService as it was before 0.20."""
    document = copy.deepcopy(dict(definition.document))
    for version in document["spec"]["versions"]:
        del version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["canary"]
    return Definition.of(document)
