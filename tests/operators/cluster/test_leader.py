"""Who holds the lease works; who cannot work any more lets go of everything."""

from __future__ import annotations

import asyncio

import pytest
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.chassis.errors import NotReadyError
from gyeol.cluster.leader import lead
from gyeol.cluster.settings import Settings
from support.kube.server import api_server


async def test_a_leader_whose_work_ends_with_an_error_ends_and_does_not_sit_on_the_lease() -> None:
    async def work() -> None:
        raise NotReadyError("the watches ended by themselves")

    async with api_server() as server, ApiClient(Configuration(host=server.url)) as api:
        with pytest.raises(NotReadyError, match="watches ended"):
            await asyncio.wait_for(lead(Settings(lease_namespace="default"), api, work), 60)
