from __future__ import annotations

import asyncio
import contextlib
import copy
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes_asyncio.client import ApiClient

from gyeol.cluster.client import Cluster
from gyeol.cluster.life import configuration
from gyeol.reconcile.crd.definition import KINDS, definition
from support.kube.account import account, rights
from support.kube.crd import Definition
from support.kube.estate import Estate, estate
from support.kube.operation import Operation, environment, operation
from support.kube.server import ApiServer, api_server
from support.kube.tenancy import installed, kubeconfig, namespace
from support.kube.upstream import upstream
from support.world import DOCUMENT

OURS = [Definition.of(definition(kind)) for kind in KINDS]


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Estate]:
    with estate(tmp_path_factory.mktemp("estate")) as one:
        yield one


@pytest.fixture
def free_port() -> Callable[[], int]:
    """Ports that nobody listens on."""

    def found() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return found


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
    if request.param == "cluster":
        return _own_namespace(services, request.getfixturevalue("cluster_with_kinds"), tmp_path)
    return _own_server(services, tmp_path)


@pytest.fixture(scope="session")
def cluster_with_kinds() -> Iterator[Path]:
    """The kubeconfig of a cluster that has every kind; those that lacked are there while the tests run."""
    config = kubeconfig()
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        api = runner.run(_opened(stack, config))
        cluster = Cluster(api)
        try:
            runner.run(stack.enter_async_context(installed(cluster, (*OURS, *upstream()))))
            yield config
        finally:
            runner.run(stack.aclose())


async def _opened(stack: contextlib.AsyncExitStack, config: Path) -> ApiClient:
    with environment({"KUBECONFIG": str(config)}):
        return await stack.enter_async_context(ApiClient(await configuration()))


def _own_server(services: Estate, folder: Path) -> Callable[..., Any]:
    @contextlib.asynccontextmanager
    async def made(
        without: tuple[str, ...] = (), old_kserve: bool = False, **settings: Any
    ) -> AsyncIterator[tuple[ApiServer | None, Operation]]:
        others = [kind for kind in upstream() if kind.kind not in without]
        if old_kserve:
            others = [_without_canary(kind) if kind.kind == "InferenceService" else kind for kind in others]
        async with api_server(*OURS, *others) as server:
            config, operator = (folder / f"{name}-{uuid.uuid4().hex[:6]}" for name in ("person", "operator"))
            config.write_text(server.kubeconfig())
            operator.write_text(server.kubeconfig("operator"))
            server.rights["operator"] = rights("default")
            async with operation(services, config, operator, "default", **settings) as one:
                yield server, one

    return made


def _own_namespace(services: Estate, config: Path, folder: Path) -> Callable[..., Any]:
    admin = config.read_text()

    @contextlib.asynccontextmanager
    async def made(**settings: Any) -> AsyncIterator[tuple[ApiServer | None, Operation]]:
        if settings.keys() & {"without", "old_kserve"}:
            pytest.skip("needs an API server of one's own")
        async with contextlib.AsyncExitStack() as stack:
            api = await _opened(stack, config)
            name = await stack.enter_async_context(namespace(Cluster(api)))
            operator = folder / f"operator-{name}"
            operator.write_text(await stack.enter_async_context(account(Cluster(api), name, admin)))
            yield None, await stack.enter_async_context(operation(services, config, operator, name, **settings))

    return made


def _without_canary(definition: Definition) -> Definition:
    """InferenceService as it was before 0.20."""
    document = copy.deepcopy(dict(definition.document))
    for version in document["spec"]["versions"]:
        del version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["canary"]
    return Definition.of(document)
