"""Whole runs on an API server: the real client, real services, and an actor in the place of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gyeol.cluster.kind import ALIGNMENT_RUN


def state(*wanted: str) -> Callable[[dict[str, Any]], bool]:
    return lambda one: (one.get("status") or {}).get("state") in wanted


def conditions(run: dict[str, Any]) -> dict[str, str]:
    return {one["type"]: one["status"] for one in run["status"]["conditions"]}


async def test_a_run_goes_through_all_phases_and_then_nothing_is_written(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (server, one), one.operator():
        await one.submit(run_object())
        run = await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded", "Failed", "Blocked"))
        assert run["status"]["state"] == "Succeeded", run["status"]
        assert set(conditions(run).values()) == {"True"}
