from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from gyeol.reconcile.document import parse_model_promotion
from gyeol.reconcile.manifest.backend import BACKENDS
from gyeol.reconcile.manifest.batch import batch_job, witness_job
from gyeol.reconcile.manifest.inferenceservice import run_service
from gyeol.reconcile.manifest.name import NameTooLongError, job_name, service_name
from gyeol.reconcile.manifest.outcome import Phase
from gyeol.reconcile.manifest.proposal import proposal_job, revert_job
from gyeol.reconcile.manifest.site import Delivery
from gyeol.reconcile.manifest.trainjob import UnsupportedStoreError
from gyeol.reconcile.manifest.work import settings
from gyeol.reconcile.promotion import ModelPromotion
from gyeol.reconcile.schema import Metadata
from gyeol.reconcile.seen import Job, Side
from support.cluster import BUCKET, GPU_TRAINING, UID, VOLUME, asked, submitted
from support.kube.crd import unknown_fields
from support.kube.upstream import upstream

GOLDEN = Path(__file__).parent / "golden"
PROMOTED = {"environment": "staging", "strategy": "PullRequest"}
GPU_SERVING = {"resources": {"limits": {"nvidia.com/gpu": 1}}, "nodeSelector": {"pool": "gpu-l40s"}}
KNATIVE = replace(VOLUME, delivery=Delivery("Knative", "Knative"))
FULL = replace(
    VOLUME, gate_key="gyeol-gate", gate_policies="gate-policies", git_secret="delivery-git", pull_secrets=("registry",)
)


def gpu(backend: str) -> Any:
    return asked(submitted(training={**GPU_TRAINING, "backend": backend}))


def proposed(root: str = "pvc://gyeol-artifacts") -> ModelPromotion:
    digest = "sha256:" + "1" * 64
    spec = {
        "model": {"uri": f"{root}/runs/ko-test/training/model", "digest": digest, "run": "ko-test"},
        "environment": "staging",
        "strategy": "PullRequest",
        "evidence": {"verdictDigest": digest, "policy": "ko-default"},
    }
    metadata = {"name": "ko-staging", "namespace": "research", "uid": UID, "generation": 1}
    value = {"apiVersion": "gyeol.dev/v1alpha1", "kind": "ModelPromotion", "metadata": metadata, "spec": spec}
    return parse_model_promotion(yaml.safe_dump(value), "promotion.yaml")


OBJECTS: dict[str, Callable[[], dict[str, Any]]] = {
    "settings": lambda: settings(asked(submitted())),
    "weights": lambda: batch_job(Job.WEIGHTS, asked(submitted()), 0),
    "weights-s3": lambda: batch_job(Job.WEIGHTS, asked(submitted(), BUCKET), 0),
    "preflight": lambda: batch_job(Job.PREFLIGHT, asked(submitted()), 1),
    "preflight-s3": lambda: batch_job(Job.PREFLIGHT, asked(submitted(), BUCKET), 0),
    "evaluate-baseline": lambda: batch_job(Job.EVALUATE_BASELINE, asked(submitted()), 0),
    "evaluate-candidate": lambda: batch_job(Job.EVALUATE_CANDIDATE, asked(submitted(evaluation=GPU_SERVING)), 0),
    "gate": lambda: batch_job(Job.GATE, asked(submitted(), FULL), 0),
    "promote": lambda: batch_job(Job.PROMOTE, asked(submitted(promotion=PROMOTED), FULL), 0),
    "evaluate-candidate-s3": lambda: batch_job(Job.EVALUATE_CANDIDATE, asked(submitted(), BUCKET), 0),
    "evaluate-witness": lambda: witness_job(Job.EVALUATE_BASELINE, asked(submitted()), 0),
    "evaluate-witness-s3": lambda: witness_job(Job.EVALUATE_BASELINE, asked(submitted(), BUCKET), 0),
    "proposal": lambda: proposal_job(proposed(), FULL, 0, "runs/ko-test/gate"),
    "proposal-s3": lambda: proposal_job(proposed("s3://models/gyeol"), BUCKET, 0, "runs/ko-test/gate"),
    "revert": lambda: revert_job(proposed(), FULL, 1, "a person asked for the model before"),
    "witness": lambda: witness_job(Job.TRAIN, asked(submitted()), 0),
    "witness-s3": lambda: witness_job(Job.TRAIN, asked(submitted(), BUCKET), 0),
    "pytorchjob-one-process": lambda: BACKENDS["PyTorchJob"].job(asked(submitted()), 0),
    "pytorchjob-gpu-queue": lambda: BACKENDS["PyTorchJob"].job(gpu("PyTorchJob"), 2),
    "pytorchjob-s3": lambda: BACKENDS["PyTorchJob"].job(asked(submitted(), BUCKET), 0),
    "trainjob-one-process": lambda: BACKENDS["TrainJob"].job(asked(submitted(training={"backend": "TrainJob"})), 0),
    "trainjob-gpu-queue": lambda: BACKENDS["TrainJob"].job(gpu("TrainJob"), 0),
    "inferenceservice-standard": lambda: run_service(Side.CANDIDATE, asked(submitted())),
    "inferenceservice-knative": lambda: run_service(Side.BASELINE, asked(submitted(), KNATIVE)),
    "inferenceservice-gpu-standard": lambda: run_service(Side.CANDIDATE, asked(submitted(serving=GPU_SERVING))),
    "inferenceservice-gpu-knative": lambda: run_service(Side.CANDIDATE, asked(submitted(serving=GPU_SERVING), KNATIVE)),
    "inferenceservice-s3": lambda: run_service(Side.CANDIDATE, asked(submitted(), BUCKET)),
}  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_what_is_built_is_what_was_reviewed(name: str) -> None:
    text = yaml.safe_dump(json.loads(json.dumps(OBJECTS[name]())), sort_keys=False, allow_unicode=True, width=120)
    file = GOLDEN / f"{name}.yaml"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), "after a review: UPDATE_GOLDEN=1 pytest"


def test_there_is_no_golden_file_without_an_object() -> None:
    assert {path.stem for path in GOLDEN.glob("*.yaml")} == set(OBJECTS)


@pytest.mark.parametrize("name", [name for name in OBJECTS if "job-" in name or name.startswith("inference")])
def test_kinds_of_others_take_what_is_built_with_strict_field_validation(name: str) -> None:
    built = OBJECTS[name]()
    definition = next(one for one in upstream() if one.kind == built["kind"])
    assert unknown_fields(definition, built) == []
    assert definition.admitted(built)[1] == []


@pytest.mark.parametrize("name", OBJECTS)
def test_pods_inside_what_is_built_are_sound(name: str) -> None:
    for pod in _pods(OBJECTS[name]()):
        kubernetes_validate.validate(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": pod}, "1.36", strict=True
        )


@pytest.mark.parametrize(
    "name",
    [
        "settings",
        "weights",
        "gate",
        "promote",
        "proposal-s3",
        "revert",
        "witness",
        "evaluate-baseline",
        "evaluate-witness-s3",
        "preflight-s3",
    ],
)
def test_core_objects_are_sound(name: str) -> None:
    kubernetes_validate.validate(OBJECTS[name](), "1.36", strict=True)


@pytest.mark.parametrize("name", OBJECTS)
def test_no_pod_may_do_more_than_it_must(name: str) -> None:
    for pod in _pods(OBJECTS[name]()):
        assert pod["automountServiceAccountToken"] is False
        for one in [*pod["containers"], *pod.get("initContainers", [])]:
            security = {**pod.get("securityContext", {}), **one["securityContext"]}
            assert security["runAsNonRoot"] is True
            assert security["allowPrivilegeEscalation"] is False
            assert security["readOnlyRootFilesystem"] is True
            assert security["capabilities"] == {"drop": ["ALL"]}
            assert security["seccompProfile"] == {"type": "RuntimeDefault"}


def _pods(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        own = [value] if {"containers", "automountServiceAccountToken"} <= value.keys() else []
        own = [
            {key: one for key, one in pod.items() if key not in ("minReplicas", "deploymentStrategy", "annotations")}
            for pod in own
        ]
        return own + [pod for one in value.values() for pod in _pods(one)]
    return [pod for one in value for pod in _pods(one)] if isinstance(value, list) else []


def test_the_container_of_a_pytorchjob_is_called_pytorch_and_there_is_one_master() -> None:
    replicas = OBJECTS["pytorchjob-gpu-queue"]()["spec"]["pytorchReplicaSpecs"]
    assert replicas["Master"]["replicas"] == 1
    assert replicas["Worker"]["replicas"] == 3
    assert all(one["template"]["spec"]["containers"][0]["name"] == "pytorch" for one in replicas.values())


def test_world_size_counts_processes_because_their_number_is_written_out() -> None:
    assert OBJECTS["pytorchjob-gpu-queue"]()["spec"]["nprocPerNode"] == "8"
    assert OBJECTS["pytorchjob-one-process"]()["spec"]["nprocPerNode"] == "1"


def test_a_queued_job_starts_suspended_so_that_only_the_queue_lets_it_go() -> None:
    assert OBJECTS["pytorchjob-gpu-queue"]()["spec"]["runPolicy"]["suspend"] is True
    assert OBJECTS["trainjob-gpu-queue"]()["spec"]["suspend"] is True
    assert "suspend" not in OBJECTS["pytorchjob-one-process"]()["spec"]["runPolicy"]


def test_every_suite_of_an_evaluation_has_a_pod_of_its_own_that_runs_beside_the_others() -> None:
    many = [{"name": f"suite-{number}"} for number in range(12)]
    built = batch_job(Job.EVALUATE_BASELINE, asked(submitted(evaluation={"suites": many})), 0)
    spec = built["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 12, 8)
    (work,) = spec["template"]["spec"]["initContainers"]
    assert "/etc/gyeol/run/suite-$(JOB_COMPLETION_INDEX).json" in work["command"]
    data = settings(asked(submitted(evaluation={"suites": many})))["data"]
    assert [json.loads(data[f"suite-{number}.json"]) for number in range(12)] == [[one] for one in many]


def test_gpus_are_given_back_when_training_ends() -> None:
    assert OBJECTS["pytorchjob-gpu-queue"]()["spec"]["runPolicy"]["cleanPodPolicy"] == "Running"


def test_a_trainjob_with_an_object_store_is_refused_with_the_remedy() -> None:
    with pytest.raises(UnsupportedStoreError, match=r"set spec\.training\.backend to PyTorchJob"):
        BACKENDS["TrainJob"].job(asked(submitted(training={"backend": "TrainJob"}), BUCKET), 0)


PYTORCH_STATES = {
    "nothing yet": ({}, Phase.RUNNING),
    "created": ({"conditions": [{"type": "Created", "status": "True"}]}, Phase.RUNNING),
    "suspended": ({"conditions": [{"type": "Suspended", "status": "True"}]}, Phase.SUSPENDED),
    "let go again": ({"conditions": [{"type": "Suspended", "status": "False"}, {"type": "Running", "status": "True"}]}, Phase.RUNNING),
    "succeeded": ({"conditions": [{"type": "Succeeded", "status": "True"}], "replicaStatuses": {"Master": {"succeeded": 1}}}, Phase.SUCCEEDED),
    "master succeeded although a worker failed": (
        {"conditions": [{"type": "Succeeded", "status": "True"}], "replicaStatuses": {"Master": {"succeeded": 1}, "Worker": {"failed": 1}}},
        Phase.FAILED,
    ),
    "failed": ({"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]}, Phase.FAILED),
}  # fmt: skip


@pytest.mark.parametrize("name", PYTORCH_STATES)
def test_the_state_of_a_pytorchjob_is_read_from_its_replicas_too(name: str) -> None:
    status, phase = PYTORCH_STATES[name]
    assert BACKENDS["PyTorchJob"].outcome({"status": status}).phase is phase


TRAINJOB_STATES = {
    "nothing yet": ({}, Phase.RUNNING),
    "suspended": ({"conditions": [{"type": "Suspended", "status": "True"}]}, Phase.SUSPENDED),
    "complete": ({"conditions": [{"type": "Complete", "status": "True"}], "jobsStatus": [{"name": "node", "failed": 0}]}, Phase.SUCCEEDED),
    "complete although a job failed": ({"conditions": [{"type": "Complete", "status": "True"}], "jobsStatus": [{"name": "node", "failed": 1}]}, Phase.FAILED),
    "failed": ({"conditions": [{"type": "Failed", "status": "True", "reason": "JobsFailed"}]}, Phase.FAILED),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAINJOB_STATES)
def test_the_state_of_a_trainjob_is_read_from_its_jobs_too(name: str) -> None:
    status, phase = TRAINJOB_STATES[name]
    assert BACKENDS["TrainJob"].outcome({"status": status}).phase is phase


LONGEST = Metadata(name="a" * 40, namespace="n" * 30, uid=UID)


@pytest.mark.parametrize("job", Job)
def test_names_of_children_leave_room_for_what_others_append(job: Job) -> None:
    assert len(job_name(LONGEST, job, 12, part="witness") + "-worker-255") <= 63
    assert len(service_name(LONGEST, Side.BASELINE) + "-predictor-" + LONGEST.namespace) <= 63


def test_a_namespace_that_leaves_no_room_is_refused_with_the_remedy() -> None:
    with pytest.raises(NameTooLongError, match="use a namespace of at most"):
        service_name(Metadata(name="a", namespace="n" * 60, uid=UID), Side.BASELINE)


def test_a_run_made_again_under_its_name_has_other_children() -> None:
    again = Metadata(name=LONGEST.name, namespace=LONGEST.namespace, uid=UID.replace("5", "6"))
    assert job_name(again, Job.TRAIN, 0) != job_name(LONGEST, Job.TRAIN, 0)
    assert service_name(again, Side.BASELINE) != service_name(LONGEST, Side.BASELINE)
    assert asked(submitted()).run_id != asked(submitted().model_copy(update={"metadata": again})).run_id
