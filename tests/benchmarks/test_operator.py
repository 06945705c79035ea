"""A thousand runs on one operator: steady state writes nothing, memory stays small, one change is seen at once."""

from __future__ import annotations

import asyncio
import copy
import os
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import yaml

from gyeol.reconcile.condition import Condition
from gyeol.reconcile.crd.definition import KINDS, definition
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.status import AlignmentRunStatus
from support.kube.crd import Definition
from support.kube.estate import estate
from support.kube.server import api_server
from support.kube.store import born
from support.kube.upstream import needs_upstream, upstream
from support.world import DOCUMENT

COUNT = 1000
WATCHED_SECONDS = 20.0


def ended(name: str, uid: str) -> dict[str, Any]:
    """A run that has succeeded."""
    condition = Condition(
        type="Succeeded", status="True", reason="Succeeded", last_transition_time="2026-11-30T12:00:00Z"
    )
    run = parse_alignment_run(DOCUMENT, "run.yaml")
    status = AlignmentRunStatus(
        observed_generation=1, run_id=f"{name}-{uid[:8]}", state="Succeeded", conditions=(condition,)
    )
    value = yaml.safe_load(DOCUMENT)
    value["metadata"] = {"name": name, "namespace": "default"}
    value["spec"] = run.spec.model_dump(mode="json", by_alias=True, exclude_none=True)
    value["status"] = status.model_dump(mode="json", by_alias=True, exclude_none=True)
    return value


@needs_upstream
async def test_a_thousand_runs_cost_no_write_and_little_memory(tmp_path: Path) -> None:
    ours = [Definition.of(definition(kind)) for kind in KINDS]
    with estate(tmp_path) as services:
        async with api_server(*ours, *upstream()) as server:
            resource = next(one for one in server._resources.values() if one.kind == "AlignmentRun")
            for number in range(COUNT):
                made = born(ended(f"run-{number}", "x"), "default")
                server.store.put(resource, made, [])
            config = tmp_path / "kubeconfig"
            config.write_text(server.kubeconfig)
            env = {**os.environ, **services.environment, "KUBECONFIG": str(config), "CLUSTER_NAMESPACE": "default",
                   "CLUSTER_LEADER_ELECTION": "false", "CLUSTER_SERVING_MODE": "Standard", "CLUSTER_RESYNC_SECONDS": "5"}  # fmt: skip
            with (tmp_path / "operator.log").open("wb") as log:
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "gyeol.cluster", env=env, stdout=log, stderr=log
                )
            try:
                await asyncio.sleep(15)
                before = len(server.writes())
                await asyncio.sleep(WATCHED_SECONDS)
                written = server.writes()[before:]
                memory = psutil.Process(process.pid).memory_info().rss / 2**20
                fresh = copy.deepcopy(ended("fresh", "y"))
                del fresh["status"]
                began = time.monotonic()
                server.store.put(resource, born(fresh, "default"), [])
                while not (server.store.shelf(resource).objects[("default", "fresh")].get("status") or {}).get("state"):
                    assert time.monotonic() - began < 30, (tmp_path / "operator.log").read_text()[-3000:]
                    await asyncio.sleep(0.02)
                seconds = time.monotonic() - began
            finally:
                process.kill()
                await process.wait()
    sys.stdout.write(
        f"\n{COUNT} runs: {len(written)} writes in {WATCHED_SECONDS:.0f} s, {memory:.0f} MiB, {seconds:.2f} s to the first status of a new run\n"
    )
    assert written == []
    assert memory < 300
    assert seconds < 2
