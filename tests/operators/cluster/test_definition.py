"""Definitions that change under objects that are there, as the stand-in shows it; a real 1.36 server was asked the same and answered alike."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.client import Cluster
from gyeol.cluster.errors import KindMissingError, RefusedError
from gyeol.cluster.kind import ALIGNMENT_RUN, DEFINITION
from gyeol.reconcile.crd.definition import KINDS, definition
from support.cluster import GPU_TRAINING
from support.kube.crd import Definition
from support.kube.server import api_server

RUNS = definition(KINDS[0])


@pytest_asyncio.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with api_server(Definition.of(RUNS)) as server, ApiClient(Configuration(host=server.url)) as api:
        yield Cluster(api)


@pytest.fixture
def run(run_object: Any) -> dict[str, Any]:
    value: dict[str, Any] = run_object()
    value["metadata"]["namespace"] = "default"
    return value


def changed(**training: Any) -> dict[str, Any]:
    """The definition with other fields of `spec.training`."""
    made = copy.deepcopy(RUNS)
    part = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["training"]
    for name, schema in training.items():
        part["properties"][name] = {**part["properties"].get(name, {}), **schema}
    return made


async def test_a_new_field_with_a_default_leaves_runs_as_they_are_and_shows_in_them(
    cluster: Cluster, run: dict[str, Any]
) -> None:
    made = await cluster.apply(ALIGNMENT_RUN, run, manager="person")
    await cluster.apply(DEFINITION, changed(packing={"type": "boolean", "default": False}))
    seen = await cluster.get(ALIGNMENT_RUN, "default", "ko-test")
    assert seen["spec"]["training"]["packing"] is False
    assert seen["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    again = await cluster.apply(ALIGNMENT_RUN, run, manager="person")
    assert again["metadata"]["generation"] == 1, "training is fixed, and has not changed"
    assert (await cluster.apply_status(ALIGNMENT_RUN, again, {"state": "Pending"}))["status"]["state"] == "Pending"


async def test_a_bound_that_is_tightened_later_does_not_hold_for_what_was_let_in_before(
    cluster: Cluster, run: dict[str, Any]
) -> None:
    made = await cluster.apply(ALIGNMENT_RUN, run, manager="person")
    await cluster.apply(DEFINITION, changed(epochs={"minimum": 2}))
    assert (await cluster.apply_status(ALIGNMENT_RUN, made, {"state": "Training"}))["status"]["state"] == "Training"
    await cluster.patch(ALIGNMENT_RUN, "default", "ko-test", {"spec": {"suspend": True}})
    another = {**run, "metadata": {"name": "ko-other", "namespace": "default"}}
    with pytest.raises(RefusedError, match=r"epochs in body should be greater than or equal to 2"):
        await cluster.create(ALIGNMENT_RUN, another)


@pytest.mark.parametrize("described", [True, False], ids=["affinity described", "affinity without a schema"])
async def test_a_rule_that_is_tightened_later_does_not_hold_for_old_runs_unless_a_part_has_no_schema(
    cluster: Cluster, run: dict[str, Any], described: bool
) -> None:
    """Why `affinity` is written out field by field: of a part without a schema the server cannot tell that it is as it was."""
    run["spec"]["training"]["affinity"] = copy.deepcopy(GPU_TRAINING["affinity"])
    made = await cluster.apply(ALIGNMENT_RUN, run, manager="person")
    tightened = changed()
    part = tightened["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["training"]
    part["x-kubernetes-validations"].append({"rule": "self.epochs > 1", "message": "train longer"})
    if not described:
        part["properties"]["affinity"] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    await cluster.apply(DEFINITION, tightened)
    if described:
        held = await cluster.patch(ALIGNMENT_RUN, "default", "ko-test", {"spec": {"suspend": True}})
        assert held["spec"]["suspend"]
        assert (await cluster.apply_status(ALIGNMENT_RUN, held, {"state": "Training"}))["status"]["state"] == "Training"
    else:
        with pytest.raises(RefusedError, match="train longer"):
            await cluster.apply_status(ALIGNMENT_RUN, made, {"state": "Training"})


async def test_a_status_that_the_installed_definition_does_not_know_is_refused_with_the_remedy(
    cluster: Cluster, run: dict[str, Any]
) -> None:
    """An operator that is newer than its definitions must not go on asking for ever."""
    older = copy.deepcopy(RUNS)
    del older["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["progress"]
    made = await cluster.apply(ALIGNMENT_RUN, run, manager="person")
    await cluster.apply(DEFINITION, older)
    with pytest.raises(RefusedError, match=r"status\.progress: field not declared in schema; .* upgrade it"):
        await cluster.apply_status(ALIGNMENT_RUN, made, {"progress": "1/2"})


async def test_watches_end_when_the_definition_changes_and_go_on_from_where_they_were(
    cluster: Cluster, run: dict[str, Any]
) -> None:
    _, version = await cluster.list(ALIGNMENT_RUN, "default")

    async def told(since: str) -> list[str]:
        return [one["type"] async for one in cluster.watch(ALIGNMENT_RUN, "default", "", since, 30)]

    watching = asyncio.create_task(told(version))
    await asyncio.sleep(0.2)
    await cluster.apply(DEFINITION, changed(packing={"type": "boolean"}))
    assert "ADDED" not in await watching
    watching = asyncio.create_task(told(version))
    await cluster.apply(ALIGNMENT_RUN, run)
    await asyncio.sleep(0.2)
    await cluster.apply(DEFINITION, changed(packing={"type": "string"}))
    assert "ADDED" in await watching


async def test_the_same_definition_again_changes_nothing(cluster: Cluster) -> None:
    first = await cluster.apply(DEFINITION, RUNS)
    assert (await cluster.apply(DEFINITION, RUNS))["metadata"]["resourceVersion"] == first["metadata"][
        "resourceVersion"
    ]
    assert {one["type"]: one["status"] for one in first["status"]["conditions"]} == {
        "NamesAccepted": "True",
        "Established": "True",
    }


async def test_objects_go_with_their_definition(cluster: Cluster, run: dict[str, Any]) -> None:
    await cluster.apply(ALIGNMENT_RUN, run)
    there = await cluster.get(DEFINITION, "", RUNS["metadata"]["name"])
    await cluster.delete(DEFINITION, {"metadata": {**there["metadata"], "namespace": ""}})
    with pytest.raises(KindMissingError):
        await cluster.list(ALIGNMENT_RUN, "default")
    await cluster.apply(DEFINITION, RUNS)
    assert (await cluster.list(ALIGNMENT_RUN, "default"))[0] == []
