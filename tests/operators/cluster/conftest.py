from __future__ import annotations

import contextlib
import copy
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gyeol.reconcile.crd.definition import KINDS, definition
from support.kube.crd import Definition
from support.kube.estate import Estate, estate
from support.kube.operation import Operation, operation
from support.kube.server import ApiServer, api_server
from support.kube.upstream import FOLDER, upstream
from support.world import DOCUMENT

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


@pytest.fixture
def stage_set(
    services: Estate, tmp_path: Path
) -> Callable[..., contextlib.AbstractAsyncContextManager[tuple[ApiServer, Operation]]]:
    """An API server of one's own with an actor, and the services."""
    if not FOLDER.is_dir():
        pytest.skip(
            "the definitions of PyTorchJob, TrainJob, InferenceService and Workload are not beside the repository"
        )

    @contextlib.asynccontextmanager
    async def made(
        without: tuple[str, ...] = (), old_kserve: bool = False, **settings: Any
    ) -> AsyncIterator[tuple[ApiServer, Operation]]:
        async with api_server(
            *OURS, *(kind for kind in upstream() if kind.kind not in without), bookmark_seconds=1.0
        ) as server:
            config = tmp_path / f"kubeconfig-{uuid.uuid4().hex[:6]}"
            config.write_text(server.kubeconfig)
            async with operation(services, config, "default", **settings) as one:
                yield server, one

    return made


def _without_canary(definition: Definition) -> Definition:
    """InferenceService as it was before 0.20."""
    document = copy.deepcopy(dict(definition.document))
    for version in document["spec"]["versions"]:
        del version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["canary"]
    return Definition.of(document)
