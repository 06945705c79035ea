"""Our kinds may come after the operator and go while it works: it waits, says so, and goes on."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from gyeol.cluster.client import Object
from gyeol.cluster.errors import GoneError, KindMissingError
from gyeol.cluster.kind import CULTURE_PACK, DEFINITION, OURS
from gyeol.reconcile.crd.definition import KINDS, definition
from support.kube.operation import Operation

PACK: Object = {
    "apiVersion": "gyeol.dev/v1alpha1",
    "kind": "CulturePack",
    "metadata": {"name": "ko-kr"},
    "spec": {"culture": "ko-KR", "source": {"uri": "configmap:ko-kr"}},
}
BUT_PACKS, PACKS = [definition(kind) for kind in KINDS[:2]], definition(KINDS[2])


async def removed(one: Operation, value: Object) -> None:
    there = await one.cluster.get(DEFINITION, "", value["metadata"]["name"])
    await one.cluster.delete(DEFINITION, {"metadata": {**there["metadata"], "namespace": ""}})


def hears(one: Operation) -> bool:
    return one.worker is not None and one.worker.last_fetch > -math.inf


async def verified(one: Operation) -> Object:
    with contextlib.suppress(KindMissingError, GoneError):
        await one.submit(PACK)
    return await one.until(CULTURE_PACK, "ko-kr", lambda seen: bool(seen.get("status", {}).get("conditions")))


@pytest.mark.parametrize("stage_set", ["server"], indirect=True)
async def test_the_operator_waits_for_kinds_that_come_later_or_go_and_is_not_ready_meanwhile(
    stage_set: Callable[..., Any],
) -> None:
    async with stage_set() as (_, one):
        for value in (*BUT_PACKS, PACKS):
            await removed(one, value)
        with capture_logs() as told:
            async with one.operator():
                await one.came(lambda: not hears(one))
                for value in BUT_PACKS:
                    await one.cluster.apply(DEFINITION, value)
                await one.cluster.apply(DEFINITION, PACKS)
                await one.came(lambda: hears(one))
                first = await verified(one)
                await removed(one, PACKS)
                await one.came(lambda: not hears(one))
                await one.cluster.apply(DEFINITION, PACKS)
                await one.came(lambda: hears(one))
                second = await verified(one)
        assert second["metadata"]["uid"] != first["metadata"]["uid"]
        lines = [line for line in told if line["event"] == "kinds_missing"]
        assert lines[0]["kinds"] == [kind.name for kind in OURS]
        assert lines[-1]["kinds"] == ["CulturePack"]
        assert {line["remedy"] for line in lines} == {"install the chart charts/crds"}
