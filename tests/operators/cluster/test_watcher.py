"""kopf as an ear: it hears, and when it ends nothing else does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.desk import Desk, Trade
from gyeol.cluster.kind import ALIGNMENT_RUN
from gyeol.cluster.reporter import Reporter
from gyeol.cluster.settings import Settings
from gyeol.cluster.watcher import Watcher
from gyeol.reconcile.crd.definition import KINDS, definition
from support.kube.crd import Definition
from support.kube.operation import environment
from support.kube.server import api_server

RUNS = Definition.of(definition(KINDS[0]))


@pytest_asyncio.fixture
async def parts(tmp_path: Path) -> AsyncIterator[tuple[Cluster, Desk, Watcher]]:
    async def seen(current: Object) -> tuple[Object, float | None]:
        return current, None

    async with api_server(RUNS) as server, ApiClient(Configuration(host=server.url)) as api:
        config = tmp_path / "kubeconfig"
        config.write_text(server.kubeconfig)
        cluster = Cluster(api)
        desk = Desk({ALIGNMENT_RUN.plural: Trade(ALIGNMENT_RUN, seen)}, Reporter(cluster), 600)
        with environment({"KUBECONFIG": str(config)}):
            yield cluster, desk, Watcher(Settings(namespace="default"), desk)


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_what_runs_beside_the_watch_goes_on_when_it_ends(
    parts: tuple[Cluster, Desk, Watcher], run_object: Any
) -> None:
    cluster, desk, watcher = parts
    watching = asyncio.create_task(watcher.run())
    value = run_object()
    value["metadata"]["namespace"] = "default"
    await cluster.apply(ALIGNMENT_RUN, value)
    async with asyncio.timeout(120):
        while not desk.objects:  # noqa: ASYNC110  (kopf tells the desk in its own time)
            await asyncio.sleep(0.02)
    beside = asyncio.create_task(asyncio.Event().wait())
    await ended(watching)
    assert not beside.done()
    await cluster.patch(ALIGNMENT_RUN, "default", "ko-test", {"spec": {"suspend": True}})
    beside.cancel()


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.05, 0.2])
async def test_it_can_be_ended_while_it_starts(parts: tuple[Cluster, Desk, Watcher], seconds: float) -> None:
    _, _, watcher = parts
    watching = asyncio.create_task(watcher.run())
    await asyncio.sleep(seconds)
    await ended(watching)
    assert watching.cancelled()
