"""`make test-cluster` leaves nothing behind on a cluster that others use too; judged on a server that has no controllers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.client import Cluster
from gyeol.cluster.kind import ALIGNMENT_RUN, DEFINITION, MODEL_PROMOTION
from gyeol.reconcile.crd.definition import KINDS, definition
from support.kube.crd import Definition
from support.kube.server import ApiServer, api_server
from support.kube.tenancy import installed, namespace

OURS = [Definition.of(definition(kind)) for kind in KINDS]


@pytest_asyncio.fixture
async def api() -> AsyncIterator[tuple[ApiServer, Cluster]]:
    async with api_server() as server, ApiClient(Configuration(host=server.url)) as client:
        yield server, Cluster(client)


async def test_what_lacked_is_there_for_a_while_and_what_was_there_stays(
    api: tuple[ApiServer, Cluster], run_object: Any
) -> None:
    server, cluster = api
    await cluster.apply(DEFINITION, OURS[0].document, manager="helm")
    before = server.objects("CustomResourceDefinition")
    async with installed(cluster, OURS) as lacking:
        assert len(lacking) == len(OURS) - 1
        assert await cluster.has(MODEL_PROMOTION)
        async with namespace(cluster) as name:
            value = run_object()
            value["metadata"]["namespace"] = name
            await cluster.apply(ALIGNMENT_RUN, value, manager="person")
            assert len(server.objects("AlignmentRun", name)) == 1
    assert server.objects("CustomResourceDefinition") == before
    assert [one["metadata"]["name"] for one in server.objects("Namespace")] == ["default"]
    assert server.objects("AlignmentRun") == server.objects("ServiceAccount", name) == []
