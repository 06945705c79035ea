"""Promotions on an API server: shares of the traffic, analyses, and the way back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import grpc.aio
import pytest
import yaml

from gyeol.api.ledger.v1.ledger_pb2 import Artifact, RecordArtifactRequest
from gyeol.api.ledger.v1.ledger_pb2_grpc import ArtifactServiceStub
from gyeol.cluster.kind import INFERENCE_SERVICE, MODEL_PROMOTION
from gyeol.cluster.report import Report
from gyeol.reconcile.document import parse_model_promotion
from gyeol.reconcile.manifest.promotion import whole
from support.cluster import VOLUME
from support.kube.actor import Result

GOOD = {"SafeRate": "0.95", "OverRefusalRate": "0.1"}
CANARY = {
    "steps": [{"percent": 10, "holdSeconds": 1}, {"percent": 50, "holdSeconds": 1}, {"percent": 100, "holdSeconds": 1}],
    "analysis": [
        {"metric": "SafeRate", "direction": "AtLeast", "threshold": "0.9"},
        {"metric": "OverRefusalRate", "direction": "AtMost", "threshold": "0.2"},
    ],
}


def digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


async def judged(one: Any, model: str, verdict: str = "Pass") -> str:
    """Has the ledger know a verdict about a model."""
    manifest = {
        "verdict": verdict,
        "policy": {"name": "ko-default"},
        "evidence": {"candidate": {"model_digest": digest(model)}},
    }
    known = digest(f"{one.namespace}/{id(one)}/{model}/{verdict}")
    async with grpc.aio.insecure_channel(one.estate.ledger) as opened:
        artifact = Artifact(
            kind="gate-verdict",
            digest=known,
            run_id=f"run-{model}",
            location="pvc://gyeol-artifacts/gate",
            manifest_json=json.dumps(manifest),
        )
        await ArtifactServiceStub(opened).RecordArtifact(RecordArtifactRequest(artifact=artifact))
    return known


def promotion(name: str, model: str, verdict: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "gyeol.dev/v1alpha1",
        "kind": "ModelPromotion",
        "metadata": {"name": name},
        "spec": {
            "model": {"uri": f"oci://registry.example/{model}", "digest": digest(model)},
            "environment": "staging",
            "strategy": "Direct",
            "evidence": {"verdictDigest": verdict, "policy": "ko-default"},
            **spec,
        },
    }


def state(*wanted: str) -> Callable[[dict[str, Any]], bool]:
    return lambda one: (one.get("status") or {}).get("state") in wanted


def analysed(one: Any, values: dict[str, str]) -> None:
    one.stage.answers["analysis"] = lambda *_: Result(report=Report("analysis", "", "x", values=values))


async def served(one: Any) -> tuple[str, Any]:
    service = await one.cluster.get(INFERENCE_SERVICE, one.namespace, "staging")
    canary = service["spec"].get("canary") or service["spec"]["predictor"].get("canaryTrafficPercent")
    return service["metadata"]["annotations"]["gyeol.dev/model-digest"], canary


@pytest.mark.parametrize("mode", ["Standard", "Knative"])
async def test_a_model_takes_over_share_by_share_and_one_field_brings_the_old_one_back(
    stage_set: Any, mode: str
) -> None:
    old, new = f"old-{mode}", f"new-{mode}"
    async with stage_set(serving_mode=mode) as (_, one), one.operator():
        analysed(one, GOOD)
        await one.submit(promotion("first", old, await judged(one, old), canary=CANARY))
        await one.until(MODEL_PROMOTION, "first", state("Serving", "Failed", "Blocked"))
        assert await served(one) == (digest(old), None)
        await one.submit(promotion("second", new, await judged(one, new), canary=CANARY))
        second = await one.until(MODEL_PROMOTION, "second", state("Serving", "Failed", "RolledBack"), 90)
        assert second["status"]["state"] == "Serving", yaml.safe_dump(second["status"])
        assert len([name for name in one.stage.started if "-analysis-" in name]) == 2
        assert await served(one) == (digest(new), None)
        first = await one.until(MODEL_PROMOTION, "first", lambda one: True)
        assert first["status"]["state"] in ("Serving", "Failed")
        await one.cluster.patch(MODEL_PROMOTION, one.namespace, "second", {"spec": {"rollback": True}})
        await one.until(MODEL_PROMOTION, "second", state("RolledBack"))
        assert (await served(one))[0] == digest(old)


@pytest.mark.parametrize(("values", "reason"), [(GOOD | {"SafeRate": "0.5"}, "AnalysisFailed"), ({"SafeRate": "NaN", "OverRefusalRate": "0"}, "NotMeasured")])  # fmt: skip
async def test_a_model_that_measures_badly_or_not_at_all_goes_back_by_itself(
    stage_set: Any, values: dict[str, str], reason: str
) -> None:
    old, new = f"old-{reason}", f"new-{reason}"
    async with stage_set() as (_, one), one.operator():
        analysed(one, values)
        await one.submit(promotion("first", old, await judged(one, old)))
        await one.until(MODEL_PROMOTION, "first", state("Serving"))
        await one.submit(promotion("second", new, await judged(one, new), canary=CANARY))
        second = await one.until(MODEL_PROMOTION, "second", state("RolledBack", "Serving", "Failed"))
        assert (second["status"]["state"], second["status"]["reason"]) == ("RolledBack", reason)
        assert await served(one) == (digest(old), None)


async def test_what_was_merged_is_served_and_one_field_proposes_the_way_back(stage_set: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        proposes(one, "promote", "https://forge.example/1", "Opened")
        place = {"uri": f"pvc://gyeol-artifacts/runs/{one.namespace}/model", "digest": digest("merged")}
        value = promotion("merged", "merged", await judged(one, "merged"), strategy="PullRequest")
        value["spec"]["model"] = place
        await one.submit(value)
        proposed = await one.until(MODEL_PROMOTION, "merged", state("Proposed", "Failed", "Blocked"))
        assert proposed["status"]["pullRequest"] == "https://forge.example/1", proposed["status"]
        await rolled_out(one, value, "merged")
        await one.until(MODEL_PROMOTION, "merged", state("Serving", "Failed", "Blocked"))
        proposes(one, "revert", "https://forge.example/2", "Opened")
        await one.cluster.patch(MODEL_PROMOTION, one.namespace, "merged", {"spec": {"rollback": True}})
        back = await one.until(MODEL_PROMOTION, "merged", lambda one: one["status"]["reason"] == "RevertProposed")
        assert back["status"]["pullRequest"] == "https://forge.example/2"
        assert await served(one) == (digest("merged"), None)
        await rolled_out(one, value, "before")
        await one.until(MODEL_PROMOTION, "merged", state("RolledBack"))


def proposes(one: Any, job: str, url: str, reason: str) -> None:
    values = {"url": url, "commit": "0" * 40, "reason": reason}
    one.stage.answers[job] = lambda *_: Result(report=Report("promote", digest(url), "x", values=values))


async def rolled_out(one: Any, value: dict[str, Any], model: str) -> None:
    """What GitOps does once a change is merged."""
    known = parse_model_promotion(yaml.safe_dump(value), "promotion.yaml")
    service = whole(known, VOLUME, f"pvc://gyeol-artifacts/{model}", digest(model))
    service["metadata"]["namespace"] = one.namespace
    await one.cluster.apply(INFERENCE_SERVICE, service, manager="gitops")


async def test_without_evidence_nothing_moves_and_a_failing_recheck_withdraws_it(stage_set: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        await one.submit(promotion("none", "never-judged", digest("no verdict")))
        blocked = await one.until(MODEL_PROMOTION, "none", state("Blocked"))
        assert blocked["status"]["reason"] == "VerdictMissing"
        verdict = await judged(one, "judged-twice")
        await judged(one, "judged-twice", "Fail")
        await one.submit(promotion("twice", "judged-twice", verdict))
        blocked = await one.until(MODEL_PROMOTION, "twice", state("Blocked", "Serving"))
        assert blocked["status"]["reason"] == "Withdrawn"


async def test_a_cluster_that_would_ignore_the_share_is_refused(stage_set: Any) -> None:
    async with stage_set(old_kserve=True) as (server, one), one.operator():
        if server is None:
            pytest.skip("needs an API server with an older KServe")
        await one.submit(promotion("share", "shared", await judged(one, "shared"), canary=CANARY))
        blocked = await one.until(MODEL_PROMOTION, "share", state("Blocked", "Serving"))
        assert blocked["status"]["reason"] == "CanaryUnsupported"
        assert "upgrade KServe" in blocked["status"]["conditions"][-1]["message"]


async def test_a_pack_is_verified_and_pinned(stage_set: Any) -> None:
    from gyeol.cluster.kind import CULTURE_PACK

    async with stage_set() as (_, one), one.operator():
        spec = {"culture": "ko-KR", "source": {"uri": "oci://registry.example/ko-kr:1"}}
        await one.submit(
            {"apiVersion": "gyeol.dev/v1alpha1", "kind": "CulturePack", "metadata": {"name": "ko-kr"}, "spec": spec}
        )
        pack = await one.until(CULTURE_PACK, "ko-kr", lambda one: bool((one.get("status") or {}).get("conditions")))
        assert {each["type"]: each["status"] for each in pack["status"]["conditions"]}["Verified"] == "True"
        assert pack["status"]["digest"].startswith("sha256:")
