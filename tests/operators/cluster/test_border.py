"""What a run names is known to the operator before a job is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.border import Border
from gyeol.cluster.client import Cluster
from gyeol.cluster.kind import ALIGNMENT_RUN, CONFIG_MAP
from gyeol.cluster.settings import Settings
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.document import parse_alignment_run
from support.kube.server import api_server

CLICK = "/artifacts/data/click.json"


@pytest_asyncio.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with api_server() as server, ApiClient(Configuration(host=server.url)) as api:
        yield Cluster(api)


@pytest.fixture
def run(run_object: Callable[..., Any]) -> Callable[..., AlignmentRun]:
    def made(namespace: str = "default", **spec: Any) -> AlignmentRun:
        value = run_object(**spec)
        value["metadata"]["namespace"] = namespace
        return parse_alignment_run(yaml.safe_dump(value), "run.yaml")

    return made


async def told(cluster: Cluster, run: AlignmentRun, **settings: Any) -> list[str]:
    border = Border(cluster, Settings(lease_namespace="default", **settings))
    return [f"{fault.path}: {fault.message}" for fault in await border.faults(run)]


async def test_a_misspelt_suite_and_policy_are_named_with_what_was_meant(cluster: Cluster, run: Any) -> None:
    wrong = run(evaluation={"suites": [{"name": "cultural-saftey"}]}, gate={"policyRef": {"name": "ko-defualt"}})
    policy, suite = await told(cluster, wrong)
    assert "spec.gate.policyRef.name: 'ko-defualt' is no gate policy; did you mean 'ko-default'?" in policy
    assert "spec.evaluation.suites[0].name: 'cultural-saftey' is no evaluation suite; did you mean" in suite
    assert await told(cluster, wrong, check_references=False) == []
    assert await told(cluster, run()) == []


async def test_a_policy_of_the_config_map_of_its_namespace_may_be_named(cluster: Cluster, run: Any) -> None:
    strict = run(gate={"policyRef": {"name": "strict"}})
    assert len(await told(cluster, strict, gate_policies="more")) == 1
    value = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more", "namespace": "default"}}
    await cluster.apply(CONFIG_MAP, {**value, "data": {"strict": "spec: {}"}})
    assert await told(cluster, strict, gate_policies="more") == []
    assert await told(cluster, run(), gate_policies="more") == []


DATA = [
    (CLICK, {}, "does not exist on the claim gyeol-artifacts; fetch the data to it, or correct the path"),
    (f"file://{CLICK}", {}, "does not exist on the claim"),
    ("/artifacts/data/there.json", {}, ""),
    ("/artifacts/../etc/passwd", {}, "put the data on the claim gyeol-artifacts and name its path below /artifacts"),
    ("/mnt/click.json", {}, "is not what an evaluation sees"),
    (CLICK, {"artifacts": "s3://bucket/gyeol"}, "name hf:owner/name"),
    ("hf:EunsuKim/CLIcK", {"artifacts": "s3://bucket/gyeol"}, ""),
    ("", {}, "is required: click reads a public file"),
]


@pytest.mark.parametrize(("data", "settings", "said"), DATA)
async def test_data_is_what_a_pod_of_an_evaluation_sees(
    cluster: Cluster, run: Any, tmp_path: Path, data: str, settings: dict[str, Any], said: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "there.json").touch()
    wanted = run(evaluation={"suites": [{"name": "click", "data": data}]})
    found = await told(cluster, wanted, artifacts_folder=tmp_path, **settings)
    assert said in found[0] if said else not found, found


async def test_a_claim_of_another_namespace_is_another_one(cluster: Cluster, run: Any, tmp_path: Path) -> None:
    wanted = run("research", evaluation={"suites": [{"name": "click", "data": CLICK}]})
    assert await told(cluster, wanted, artifacts_folder=tmp_path) == []


async def test_a_run_that_names_what_nobody_has_ends_early_and_no_job_is_made(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        wrong = run_object(culture={"name": "ko-KP"}, gate={"policyRef": {"name": "strict"}})
        await one.submit(wrong)
        run = await one.until(ALIGNMENT_RUN, "ko-test", lambda run: bool((run.get("status") or {}).get("conditions")))
        assert (run["status"]["state"], run["status"]["reason"]) == ("Failed", "UnknownReference")
        end = next(each for each in run["status"]["conditions"] if each["type"] == "Succeeded")
        assert end["status"] == "False"
        assert "spec.culture.name: there is no culture pack 'ko-KP': use one of " in end["message"]
        assert "spec.gate.policyRef.name: 'strict' is no gate policy; There are " in end["message"]
        await one.acted()
        assert one.stage.started == []
