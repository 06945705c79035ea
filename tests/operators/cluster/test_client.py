"""What the API server's answers mean to the operator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster import client
from gyeol.cluster.client import Cluster
from gyeol.cluster.errors import GoneError, KindMissingError, RefusedError, StaleError, UnreachableError
from gyeol.cluster.kind import ALIGNMENT_RUN, CONFIG_MAP, MODEL_PROMOTION, PYTORCH_JOB
from gyeol.reconcile.crd.definition import KINDS, definition
from support.kube.crd import Definition
from support.kube.refusal import RefusalError
from support.kube.server import ApiServer, api_server

RUNS = Definition.of(definition(KINDS[0]))
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}, "data": {"a": "1"}}


@pytest_asyncio.fixture
async def api() -> AsyncIterator[tuple[ApiServer, Cluster]]:
    async with api_server(RUNS) as server, ApiClient(Configuration(host=server.url)) as one:
        yield server, Cluster(one)


async def test_a_missing_object_is_gone_and_a_missing_kind_is_named_with_the_remedy(
    api: tuple[ApiServer, Cluster],
) -> None:
    _, cluster = api
    with pytest.raises(GoneError, match='"nothing" not found'):
        await cluster.get(ALIGNMENT_RUN, "default", "nothing")
    with pytest.raises(GoneError, match='namespaces "nowhere" not found'):
        await cluster.create(CONFIG_MAP, {**MAP, "metadata": {"name": "x", "namespace": "nowhere"}})
    for absent in (PYTORCH_JOB, MODEL_PROMOTION):  # no such group, and a group without the kind
        with pytest.raises(KindMissingError, match="is not installed on this cluster; "):
            await cluster.list(absent, "default")


async def test_a_field_that_nobody_knows_is_refused_however_it_is_written(
    api: tuple[ApiServer, Cluster], run_object: Any
) -> None:
    _, cluster = api
    value = run_object()
    value["metadata"]["namespace"] = "default"
    value["spec"]["speed"] = "high"
    for write in (cluster.create, cluster.apply):
        with pytest.raises(RefusedError, match=r"spec\.speed"):
            await write(ALIGNMENT_RUN, value)
    del value["spec"]["speed"]
    made = await cluster.create(ALIGNMENT_RUN, value)
    assert made is not None
    with pytest.raises(RefusedError, match=r"spec\.speed"):
        await cluster.patch(ALIGNMENT_RUN, "default", "ko-test", {"spec": {"speed": "high"}})
    with pytest.raises(RefusedError, match=r"status\.mood"):
        await cluster.apply_status(ALIGNMENT_RUN, made, {"mood": "good"})


async def test_an_object_that_somebody_wrote_meanwhile_is_stale(
    api: tuple[ApiServer, Cluster], run_object: Any
) -> None:
    _, cluster = api
    value = run_object()
    value["metadata"]["namespace"] = "default"
    made = await cluster.apply(ALIGNMENT_RUN, value)
    await cluster.patch(ALIGNMENT_RUN, "default", "ko-test", {"spec": {"suspend": True}})
    with pytest.raises(StaleError):
        await cluster.apply_status(ALIGNMENT_RUN, made, {"state": "Pending"})


async def test_a_server_that_is_too_busy_is_asked_again_when_it_says_so_but_not_for_ever(
    api: tuple[ApiServer, Cluster],
) -> None:
    server, cluster = api
    asked: list[str] = []

    def busy(verb: str, _: str, __: str) -> RefusalError | None:
        asked.append(verb)
        return RefusalError(429, "TooManyRequests", "too many requests") if verb == "GET" or len(asked) < 2 else None

    server.refuse = busy
    assert await cluster.create(CONFIG_MAP, MAP) is not None
    assert asked == ["POST", "POST"]
    with pytest.raises(UnreachableError, match="429: too many requests"):
        await cluster.get(CONFIG_MAP, "default", "x")
    assert asked.count("GET") == client.PATIENCE


async def test_a_watch_that_breaks_off_in_the_middle_is_an_unreachable_server_and_no_crash() -> None:
    """As when an API server is killed, or a load balancer between drops the connection."""
    event = b'{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "7"}}}\n'

    async def torn(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(event), event))
        writer.close()

    server = await asyncio.start_server(torn, "127.0.0.1", 0)
    host = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, ApiClient(Configuration(host=host)) as one:
        stream = Cluster(one).watch(CONFIG_MAP, "default", "", "1", 5)
        assert (await anext(stream))["type"] == "BOOKMARK"
        with pytest.raises(UnreachableError, match="broke off"):
            await anext(stream)
