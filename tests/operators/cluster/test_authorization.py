"""Scenarios ask under the account that the chart makes; here it is shown that the stand-in server would refuse more than that."""

from __future__ import annotations

from typing import Any

import pytest
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.client import Cluster
from gyeol.cluster.errors import GoneError, RefusedError
from gyeol.cluster.kind import CONFIG_MAP, DEFINITION, INFERENCE_SERVICE, JOB, Kind
from support.kube.account import rights
from support.kube.server import api_server
from support.kube.upstream import upstream

SECRET = Kind("", "v1", "secrets", "Secret")


def config_map(namespace: str) -> dict[str, Any]:
    metadata = {"name": "one", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}}


async def test_the_account_may_do_its_work_where_it_is_and_nothing_else() -> None:
    async with api_server(*upstream()) as server:
        server.rights["operator"] = rights("default")
        settings = Configuration(host=server.url)
        settings.api_key["BearerToken"] = "Bearer operator"
        async with ApiClient(settings) as client:
            cluster = Cluster(client)
            await cluster.apply(CONFIG_MAP, config_map("default"))
            assert await cluster.list(JOB, "default")
            name = "inferenceservices.serving.kserve.io"
            assert (await cluster.get(DEFINITION, "", name))["metadata"]["name"] == name
            with pytest.raises(GoneError):
                await cluster.get(INFERENCE_SERVICE, "default", "none")
            for refused, told in (
                (cluster.apply(CONFIG_MAP, config_map("elsewhere")), 'cannot patch resource "configmaps"'),
                (cluster.list(JOB, ""), 'cannot list resource "jobs" in API group "batch" at the cluster scope'),
                (cluster.list(CONFIG_MAP, "default"), 'cannot list resource "configmaps"'),
                (cluster.get(SECRET, "default", "any"), 'cannot get resource "secrets"'),
                (cluster.get(DEFINITION, "", "other.kserve.io"), 'cannot get resource "customresourcedefinitions"'),
            ):
                with pytest.raises(RefusedError, match=told):
                    await refused
