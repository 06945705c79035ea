"""Whole runs on an API server: the real client, real services, and an actor in the place of nodes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gyeol.cluster.kind import ALIGNMENT_RUN, EVENT, INFERENCE_SERVICE, JOB, PYTORCH_JOB, TRAIN_JOB, WORKLOAD
from gyeol.cluster.run import RETRY_ANNOTATION
from support.kube.actor import Result, ok
from support.kube.refusal import RefusalError
from support.kube.replica import Replicas

ENDED = ("Succeeded", "Failed", "Blocked")
PAUSE = timedelta(minutes=1)
"""Longer than the pause before a second attempt."""


def state(*wanted: str) -> Callable[[dict[str, Any]], bool]:
    return lambda one: (one.get("status") or {}).get("state") in wanted


def conditions(run: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in (run.get("status") or {}).get("conditions", [])}


def reason(kind: str, wanted: str) -> Callable[[dict[str, Any]], bool]:
    return lambda run: conditions(run).get(kind, ("", ""))[1] == wanted


def made(server: Any, plural: str) -> Counter[str]:
    """How often each object of a kind was created."""
    return Counter(
        one.name for one in server.requests if one.resource == plural and one.verb == "POST" and one.code == 201
    )


async def test_a_run_goes_through_all_phases_and_then_nothing_is_written(stage_set: Any, run_object: Any) -> None:
    async with stage_set(resync_seconds=1.0) as (server, one), one.operator():
        await one.submit(run_object())
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        assert run["status"]["state"] == "Succeeded", run["status"]
        assert {status for status, _ in conditions(run).values()} == {"True"}
        assert run["status"]["verdict"] == "Pass"
        assert all(one["observedGeneration"] == 1 for one in run["status"]["conditions"])
        assert run["status"]["dataset"]["rows"] == run["status"]["data"]["accepted"] > 0
        await one.looked(times=2)
        ended = await one.cluster.get(ALIGNMENT_RUN, one.namespace, "ko-test")
        assert (await one.cluster.list(INFERENCE_SERVICE, one.namespace))[0] == []
        before = len(server.writes("gyeol-cluster")) if server is not None else 0
        await one.looked()
        assert await one.cluster.get(ALIGNMENT_RUN, one.namespace, "ko-test") == ended
        if server is not None:
            assert server.writes("gyeol-cluster")[before:] == []
        told = [event["message"] for event in (await one.cluster.list(EVENT, one.namespace))[0]]
        assert "train as PyTorchJob" in told
        assert any("triplets" in one for one in told)
        assert all(told)


async def test_the_first_failure_of_training_is_tried_again_under_another_name(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.training = lambda _, before: {"Master": {"succeeded": 1}} if before else {}
        await one.submit(run_object())
        await one.until(ALIGNMENT_RUN, "ko-test", reason("Trained", "Retrying"))
        one.clock.ahead += PAUSE
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        assert run["status"]["state"] == "Succeeded", run["status"]
        trained = [name for name in one.stage.started if "-train-" in name and "witness" not in name]
        assert [name.rpartition("-")[2] for name in trained] == ["0", "1"]


async def test_a_failed_worker_beside_a_succeeded_master_is_no_success(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.training = lambda *_: {"Master": {"succeeded": 1}, "Worker": {"failed": 1}}
        await one.submit(run_object(training={"nodes": 2}))
        run = await one.until(ALIGNMENT_RUN, "ko-test", lambda run: _job(run, "train").get("state") == "Failed")
        assert "pods failed: 1 Worker" in _job(run, "train")["message"]
        assert conditions(run).get("Trained", ("Unknown", ""))[0] != "True"


async def test_a_report_that_went_with_its_pod_is_asked_for_again_and_nothing_is_trained_twice(
    stage_set: Any, run_object: Any
) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.answers["train-witness"] = lambda _, before: ok("train") if before else Result()
        await one.submit(run_object())
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        assert run["status"]["state"] == "Succeeded", run["status"]
        assert len([name for name in one.stage.started if "-train-" in name and "witness" not in name]) == 1


async def test_a_succeeded_job_without_a_verified_manifest_is_no_success(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.answers["train-witness"] = lambda *_: Result(
            2, '{"event": "error", "message": "manifest.json is not there"}'
        )
        await one.submit(run_object())
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        assert run["status"]["state"] == "Blocked"
        assert conditions(run)["Trained"] == ("False", "BadInput")
        assert "manifest.json is not there" in _job(run, "train")["message"]


@pytest.mark.parametrize("verdict", ["Fail", "Inconclusive"])
async def test_no_other_verdict_than_pass_succeeds(stage_set: Any, run_object: Any, verdict: str) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.verdict = verdict
        await one.submit(run_object(promotion={"environment": "staging", "strategy": "Direct"}))
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        assert (run["status"]["state"], run["status"]["verdict"]) == ("Failed", verdict)
        assert not [name for name in one.stage.started if "-promote-" in name]


async def test_bad_input_is_not_tried_again_until_a_person_says_so(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.answers["weights"] = lambda _, before: (
            ok("weights") if before else Result(2, "hf://x/y needs a token")
        )
        await one.submit(run_object())
        run = await one.until(ALIGNMENT_RUN, "ko-test", state("Blocked"))
        assert conditions(run)["DataSealed"] == ("False", "BadInput")
        assert "needs a token" in _job(run, "weights")["message"]
        await one.cluster.patch(
            ALIGNMENT_RUN, one.namespace, "ko-test", {"metadata": {"annotations": {RETRY_ANNOTATION: "1"}}}
        )
        run = await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))
        weights = [name for name in one.stage.started if "-weights-" in name]
        assert [name.rpartition("-")[2] for name in weights] == ["0", "1"]


async def test_a_child_that_is_deleted_after_its_end_is_not_made_again(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (server, one), one.operator():
        going: list[bool] = []
        one.stage.answers["gate"] = lambda *_: ok("gate", verdict="Pass") if going else None
        await one.submit(run_object())
        await one.until(ALIGNMENT_RUN, "ko-test", state("Gating"))
        for kind in (JOB, PYTORCH_JOB):
            found, _ = await one.cluster.list(kind, one.namespace)
            for child in found:
                if "-gate-" not in child["metadata"]["name"]:
                    await one.cluster.delete(kind, child)
        await one.looked()
        going.append(True)
        await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))
        assert max(Counter(one.stage.started).values()) == 1
        if server is not None:
            assert max(made(server, "jobs").values()) == max(made(server, "pytorchjobs").values()) == 1


async def test_a_training_job_that_is_deleted_while_it_runs_counts_as_failed_unless_its_manifest_holds(
    stage_set: Any, run_object: Any
) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.training = lambda _, before: {"Master": {"succeeded": 1}} if before else None
        one.stage.answers["train-witness"] = lambda _, before: (
            ok("train") if before else Result(1, "manifest.json is not there")
        )
        await one.submit(run_object())
        await one.until(ALIGNMENT_RUN, "ko-test", lambda run: bool(_job(run, "train").get("uid")))
        await one.came(lambda: any("-train-" in name for name in one.stage.started))
        (job,), _ = await one.cluster.list(PYTORCH_JOB, one.namespace)
        await one.cluster.delete(PYTORCH_JOB, job)
        await one.until(ALIGNMENT_RUN, "ko-test", reason("Trained", "Retrying"))
        one.clock.ahead += PAUSE
        run = await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))
        assert _job(run, "train")["attempt"] == 1


async def test_a_run_made_again_under_its_name_inherits_nothing(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (server, one), one.operator():
        await one.submit(run_object())
        first = await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))
        await one.cluster.delete(ALIGNMENT_RUN, first)
        if server is not None:  # a bare API server collects no garbage
            kinds = ("Job", "PyTorchJob", "InferenceService")
            await one.came(lambda: not any(server.objects(kind) for kind in kinds))
        await one.submit(run_object())
        second = await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))
        assert second["status"]["runId"] != first["status"]["runId"]
        assert len([name for name in one.stage.started if "-train-" in name and "witness" not in name]) == 2
        assert max(Counter(one.stage.started).values()) == 1


@pytest.mark.soak
async def test_the_operator_is_killed_after_each_of_its_writes_and_nothing_is_made_twice(
    stage_set: Any, run_object: Any
) -> None:
    async with stage_set() as (server, one):
        if server is None:
            pytest.skip("needs an API server that counts writes")
        await one.submit(run_object())
        incarnations = 0

        def counted() -> int:
            return len([1 for write in server.writes("gyeol-cluster") if write.resource != "events"])

        while not state("Succeeded")((server.objects("AlignmentRun") or [{}])[0]):
            incarnations += 1
            assert incarnations < 120, server.objects("AlignmentRun")[0]["status"]
            before = counted()

            def dead(verb: str, resource: str, manager: str, before: int = before) -> RefusalError | None:
                writes = verb != "GET" and resource != "events" and manager.startswith("gyeol-cluster")
                return RefusalError(503, "Dead", "the operator is dead") if writes and counted() > before else None

            server.refuse = dead
            async with one.operator():
                with contextlib.suppress(TimeoutError):  # one that waits for an answer that got lost is killed too
                    await one.came(lambda: counted() > before, 60)  # noqa: B023
            server.refuse = lambda *_: None
            await one.acted(1)
        assert incarnations > 10
        assert max(made(server, "pytorchjobs").values()) == 1
        assert sum(made(server, "pytorchjobs").values()) == 1
        assert max(made(server, "jobs").values()) == 1
        assert max(Counter(one.stage.started).values()) == 1


async def test_a_queued_run_waits_for_a_workload_and_says_so(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.kueue, one.stage.admits = True, False
        await one.submit(run_object(training={"queue": "alignment-gpu", "backend": "TrainJob"}))
        run = await one.until(
            ALIGNMENT_RUN,
            "ko-test",
            lambda run: "QuotaReserved" in conditions(run),
        )
        assert conditions(run)["QuotaReserved"] == ("Unknown", "WaitingInQueue")
        assert not [name for name in one.stage.started if "-train-" in name]
        one.stage.admits = True
        (job,), _ = await one.cluster.list(TRAIN_JOB, one.namespace)
        workload = await one.until(WORKLOAD, f"job-{job['metadata']['name']}", bool)
        await one.cluster.delete(WORKLOAD, workload)
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        assert conditions(run)["QuotaReserved"] == ("True", "Reserved")
        assert run["status"]["state"] == "Succeeded"


async def test_a_suspended_run_starts_nothing_and_goes_on_when_it_is_let_go(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        holding: list[bool] = []
        one.stage.training = lambda *_: {"Master": {"succeeded": 1}} if holding else None
        await one.submit(run_object())
        await one.until(ALIGNMENT_RUN, "ko-test", lambda run: bool(_job(run, "train").get("startedAt")))
        await one.cluster.patch(ALIGNMENT_RUN, one.namespace, "ko-test", {"spec": {"suspend": True}})
        await one.until(ALIGNMENT_RUN, "ko-test", state("Suspended"))
        (job,), _ = await one.cluster.list(PYTORCH_JOB, one.namespace)
        await one.until(
            PYTORCH_JOB, job["metadata"]["name"], lambda job: job["spec"]["runPolicy"].get("suspend") is True
        )
        holding.append(True)
        await one.acted()
        assert not [name for name in one.stage.started if "eval-cand" in name]
        await one.cluster.patch(ALIGNMENT_RUN, one.namespace, "ko-test", {"spec": {"suspend": False}})
        await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))


async def test_another_model_than_was_made_is_never_measured(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (_, one), one.operator():
        one.stage.digests["candidate"] = "sha256:" + "e" * 64
        await one.submit(run_object())
        await one.until(
            ALIGNMENT_RUN,
            "ko-test",
            lambda run: conditions(run).get("Trained", ("", ""))[0] == "True",
        )
        await one.looked()
        run = await one.cluster.get(ALIGNMENT_RUN, one.namespace, "ko-test")
        assert conditions(run)["Evaluated"] == ("Unknown", "ModelStarting")
        assert not [name for name in one.stage.started if "eval-cand" in name]


async def test_watches_that_end_fall_behind_or_break_lose_nothing(stage_set: Any, run_object: Any) -> None:
    async with stage_set() as (server, one), one.operator():
        if server is None:
            pytest.skip("needs an API server whose watches can be broken")
        await one.submit(run_object())
        for _ in range(60):
            await asyncio.sleep(0.25)
            server.store.forget()
            server.store.cut()
            if state("Succeeded")(server.objects("AlignmentRun")[0]):
                break
        await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))


async def test_a_missing_kind_is_named_with_the_remedy(stage_set: Any, run_object: Any) -> None:
    async with stage_set(without=("PyTorchJob",)) as (server, one), one.operator():
        if server is None:
            pytest.skip("needs an API server without the kind")
        await one.submit(run_object())
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        assert conditions(run)["Trained"] == ("False", "BadInput")
        assert "set spec.training.backend to TrainJob" in _job(run, "train")["message"]


async def test_a_cluster_that_cannot_serve_models_is_told_so(stage_set: Any, run_object: Any) -> None:
    async with stage_set(without=("InferenceService",)) as (_, one), one.operator():
        await one.submit(run_object())
        run = await one.until(ALIGNMENT_RUN, "ko-test", state(*ENDED))
        told = next(each for each in run["status"]["conditions"] if each["type"] == "DataSealed")
        assert told["reason"] == "CannotServe"
        assert "install KServe" in told["message"]


async def test_the_leader_is_killed_and_the_other_goes_on_where_it_was(
    stage_set: Any, run_object: Any, tmp_path: Path
) -> None:
    async with stage_set() as (server, one), Replicas(one, tmp_path / "operator.log") as replicas:
        going: list[bool] = []
        one.stage.training = lambda *_: {"Master": {"succeeded": 1}} if going else None
        await one.submit(run_object())
        await one.until(ALIGNMENT_RUN, "ko-test", lambda run: bool(_job(run, "train").get("startedAt")))
        killed = await replicas.kill_leader()
        going.append(True)
        await one.until(ALIGNMENT_RUN, "ko-test", state("Succeeded"))
        assert await replicas.leader() not in ("", killed)
        trained = [name for name in one.stage.started if "-train-" in name and "witness" not in name]
        assert len(trained) == 1
        if server is not None:
            assert max(made(server, "jobs").values()) == sum(made(server, "pytorchjobs").values()) == 1


def _job(run: dict[str, Any], name: str) -> dict[str, Any]:
    return next((one for one in (run.get("status") or {}).get("jobs", []) if one["name"] == name), {})
