"""What takes too long for every day: a thousand runs on one operator, and a process killed after each of its writes."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from gyeol.cluster.kind import ALIGNMENT_RUN
from gyeol.reconcile.condition import Condition
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.status import AlignmentRunStatus
from support.kube.operation import Operation
from support.kube.replica import Replicas
from support.kube.server import ApiServer
from support.kube.store import born
from support.world import DOCUMENT

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

COUNT = 1000
RESYNC_SECONDS = 10
ENDED = AlignmentRunStatus(
    observed_generation=1,
    state="Succeeded",
    conditions=(
        Condition(
            type="Succeeded", status="True", reason="Succeeded", last_transition_time="2026-11-30T12:00:00Z",
            observed_generation=1,
        ),
    ),
)  # fmt: skip


@contextlib.asynccontextmanager
async def one_operator(one: Operation, log: Path, **settings: str) -> AsyncIterator[psutil.Process]:
    async with Replicas(one, log, ("operator",), CLUSTER_LEADER_ELECTION="false", **settings) as replicas:
        yield psutil.Process(replicas.running["operator"].pid)


def stored(number: int) -> dict[str, Any]:
    """Nine in ten runs have ended, the tenth waits for a pack that is not there."""
    text = DOCUMENT if number % 10 else DOCUMENT.replace("ko-KR", "ko-KP")
    run = parse_alignment_run(text, "run.yaml")
    value: dict[str, Any] = {
        "apiVersion": "gyeol.dev/v1alpha1",
        "kind": "AlignmentRun",
        "metadata": {"name": f"run-{number}"},
        "spec": run.spec.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    return value | ({"status": ENDED.model_dump(mode="json", by_alias=True, exclude_none=True)} if number % 10 else {})


async def looks(port: int) -> float:
    """Looks at runs so far."""
    try:
        async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/metrics") as answer:
            families = text_string_to_metric_families(await answer.text())
    except aiohttp.ClientError:
        return 0.0
    samples = [sample for family in families for sample in family.samples]
    return sum(
        one.value
        for one in samples
        if one.name == "gyeol_cluster_reconcile_seconds_count" and one.labels["kind"] == ALIGNMENT_RUN.plural
    )


async def until_looked(port: int, more: int) -> None:
    async with asyncio.timeout(600):
        wanted = await looks(port) + more
        while await looks(port) < wanted:  # noqa: ASYNC110  (counted in another process)
            await asyncio.sleep(0.5)


async def test_a_thousand_runs_cost_no_write_little_memory_and_one_change_is_seen_at_once(
    stage_set: Any, free_port: Callable[[], int], tmp_path: Path
) -> None:
    async with stage_set() as (server, one):
        if server is None:
            pytest.skip("needs an API server that counts writes")
        resource = server.catalogue.kind("AlignmentRun")
        for number in range(COUNT):
            server.store.put(resource, born(stored(number), "default"), [])
        port = free_port()
        settings = {"CLUSTER_METRICS_PORT": str(port), "CLUSTER_RESYNC_SECONDS": str(RESYNC_SECONDS)}
        async with one_operator(one, tmp_path / "operator.log", **settings) as process:
            await until_looked(port, COUNT + COUNT // 5)
            before = len(server.writes())
            await until_looked(port, 3 * COUNT)
            written = server.writes()[before:]
            memory = process.memory_info().rss / 2**20
            seconds = await _answered(server, one)
    sys.stdout.write(
        f"\n{COUNT} runs: {len(written)} writes in {3 * COUNT} looks, {memory:.0f} MiB, {seconds:.2f} s to the first status of a new run\n"
    )
    assert before >= COUNT // 10
    assert written == []
    assert memory < 300
    assert seconds < 2


async def _answered(server: ApiServer, one: Operation) -> float:
    """Seconds until a new run has a status."""
    resource = server.catalogue.kind("AlignmentRun")
    fresh = {**stored(1), "metadata": {"name": "fresh"}}
    del fresh["status"]
    began = time.monotonic()
    server.store.put(resource, born(fresh, "default"), [])
    key = ("default", "fresh")
    await one.came(lambda: bool((server.store.shelf(resource).objects[key].get("status") or {}).get("state")))
    return time.monotonic() - began


async def test_a_process_that_is_killed_after_each_of_its_writes_trains_once(
    stage_set: Any, run_object: Any, tmp_path: Path
) -> None:
    async with stage_set() as (server, one):
        if server is None:
            pytest.skip("needs an API server that counts writes")
        await one.submit(run_object())
        kills = 0

        def written() -> int:
            return sum(1 for write in server.writes("gyeol-cluster") if write.resource != "events")

        def ended() -> bool:
            return (server.objects("AlignmentRun")[0].get("status") or {}).get("state") == "Succeeded"

        while not ended():
            before, kills = written(), kills + 1
            assert kills < 200, server.objects("AlignmentRun")[0]["status"]
            async with one_operator(one, tmp_path / "operator.log") as process:
                await one.came(lambda before=before: written() > before or ended())  # type: ignore[misc]
                process.kill()
        sys.stdout.write(f"\n{kills} kills, {written()} writes\n")
        created = [
            each.name
            for each in server.requests
            if each.verb == "POST" and each.code == 201 and each.resource != "events"
        ]
        assert kills > 10
        assert len(created) == len(set(created))
        assert sum(1 for each in server.requests if each.resource == "pytorchjobs" and each.code == 201) == 1
        assert len(one.stage.started) == len(set(one.stage.started))
