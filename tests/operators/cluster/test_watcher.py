"""kopf as an ear: it hears, and when it ends nothing else does."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import kopf
import pytest
import pytest_asyncio
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.desk import Desk, Trade
from gyeol.cluster.errors import RefusedError
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
        config.write_text(server.kubeconfig())
        cluster = Cluster(api)
        desk = Desk({ALIGNMENT_RUN.plural: Trade(ALIGNMENT_RUN, seen)}, Reporter(cluster), 600)
        with environment({"KUBECONFIG": str(config)}):
            yield cluster, desk, Watcher(Settings(namespace="default"), desk, stop_seconds=1.0)


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_a_watch_with_half_a_second_in_its_timeout_is_refused(parts: tuple[Cluster, Desk, Watcher]) -> None:
    """As by a real server, so that every other test here would find an operator that asks for one."""
    cluster, _, _ = parts
    with pytest.raises(RefusedError, match=r'parsing "300\.5": invalid syntax'):
        await anext(cluster.watch(ALIGNMENT_RUN, "default", "", "0", 300.5))  # type: ignore[arg-type]


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


async def test_it_ends_even_when_a_part_of_kopf_does_not_take_the_first_no_for_an_answer(
    parts: tuple[Cluster, Desk, Watcher],
) -> None:
    """As its streams do when their connections break at the moment they are cancelled."""
    _, _, watcher = parts
    begun, asked, gone = (threading.Event() for _ in range(3))

    @kopf.on.startup(registry=watcher.registry)
    async def stubborn(**_: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    watching = asyncio.create_task(watcher.run())
    assert await asyncio.to_thread(begun.wait, 120)
    await ended(watching)
    assert asked.is_set()
    assert await asyncio.to_thread(gone.wait, 120), "the process would wait for it for ever"
