"""What a cluster offers, found out from the API server and never guessed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.client import Cluster
from gyeol.cluster.kind import ALIGNMENT_RUN, CONFIG_MAP, INFERENCE_SERVICE
from gyeol.cluster.offer import delivery
from gyeol.cluster.settings import Settings
from gyeol.reconcile.manifest.site import Delivery
from support.kube.crd import Definition
from support.kube.refusal import RefusalError
from support.kube.server import ApiServer, api_server
from support.kube.tenancy import NAMESPACE
from support.kube.upstream import upstream

KNATIVE = Definition.of(
    {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "services.serving.knative.dev"},
        "spec": {
            "group": "serving.knative.dev",
            "scope": "Namespaced",
            "names": {"kind": "Service", "plural": "services"},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
            ],
        },
    }
)


@pytest_asyncio.fixture
async def api() -> AsyncIterator[tuple[ApiServer, Cluster]]:
    async with api_server(*upstream()) as server, ApiClient(Configuration(host=server.url)) as client:
        yield server, Cluster(client)


def forbidden(part: str) -> RefusalError:
    return RefusalError(403, "Forbidden", f"{part} is forbidden")


@pytest.mark.parametrize(("there", "mode"), [((), "Standard"), ((KNATIVE,), "Knative")])
async def test_the_mode_is_found_by_what_is_served(there: tuple[Definition, ...], mode: str) -> None:
    async with api_server(*upstream(), *there) as server, ApiClient(Configuration(host=server.url)) as client:
        assert await delivery(Settings(), Cluster(client)) == Delivery(mode, mode, canary=True)  # type: ignore[arg-type]


async def test_the_configuration_of_kserve_counts_more(api: tuple[ApiServer, Cluster]) -> None:
    _, cluster = api
    await cluster.create(NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kserve"}})
    metadata = {"name": "inferenceservice-config", "namespace": "kserve"}
    data = {"deploy": json.dumps({"defaultDeploymentMode": "Serverless"})}
    await cluster.create(CONFIG_MAP, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    assert (await delivery(Settings(), cluster)).mode == "Knative"


async def test_what_may_not_be_asked_is_no_answer(api: tuple[ApiServer, Cluster]) -> None:
    server, cluster = api
    server.refuse = lambda _, what, __: forbidden(what) if what == "customresourcedefinitions" else None
    assert "customresourcedefinitions" in (await delivery(Settings(), cluster)).doubt
    async with api_server(*upstream(), KNATIVE) as other, ApiClient(Configuration(host=other.url)) as client:
        other.refuse = lambda _, what, __: forbidden(what) if "knative" in what else None
        found = await delivery(Settings(), Cluster(client))
        assert "set CLUSTER_SERVING_MODE to Standard or Knative" in found.doubt
        assert (await delivery(Settings(serving_mode="Knative"), Cluster(client))).doubt == ""


async def test_a_kind_is_there_when_its_version_lists_it(api: tuple[ApiServer, Cluster]) -> None:
    server, cluster = api
    assert await cluster.has(INFERENCE_SERVICE)
    assert not await cluster.has(ALIGNMENT_RUN)
    assert server.requests == [], "nothing is listed for it"
