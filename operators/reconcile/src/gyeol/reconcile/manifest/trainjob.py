"""TrainJob of trainer.kubeflow.org/v1alpha1.

The runtime that the cluster owner wrote gives the pods; a TrainJob may only patch them.
It cannot add containers, so nothing can bring data from an object store: artifacts have to be on a volume.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gyeol.reconcile.manifest.name import labels
from gyeol.reconcile.manifest.outcome import Outcome, Phase, condition, moment, said
from gyeol.reconcile.manifest.site import Value
from gyeol.reconcile.manifest.training import processes, training_metadata, training_pod
from gyeol.reconcile.manifest.work import Ask
from gyeol.reconcile.seen import Job

PATCHER = "gyeol.dev/cluster"
CONTAINER = "node"
"""Name of the replicated job and of its container in training runtimes."""
_PATCHED = (
    "nodeSelector", "tolerations", "affinity", "volumes", "securityContext", "serviceAccountName", "imagePullSecrets",
    "terminationGracePeriodSeconds",
)  # fmt: skip


class UnsupportedStoreError(ValueError):
    """Artifacts are where a TrainJob cannot reach them; the text names the remedy."""


class TrainJob:
    """The backend of Kubeflow Trainer 2."""

    api_version = "trainer.kubeflow.org/v1alpha1"
    kind = "TrainJob"

    def job(self, ask: Ask, attempt: int) -> Value:
        if ask.site.store.kind != "pvc":
            raise UnsupportedStoreError(
                "a TrainJob cannot bring data from an object store; keep artifacts on a volume, or set spec.training.backend to PyTorchJob"
            )
        training = ask.run.spec.training
        made = training_pod(CONTAINER, ask, attempt)
        (worker,) = made["containers"]
        patch = {key: made[key] for key in _PATCHED if key in made}
        patch["containers"] = [
            {"name": CONTAINER, "volumeMounts": worker["volumeMounts"], "securityContext": worker["securityContext"]}
        ]
        pod_template = {"metadata": {"labels": labels(ask.run.metadata, Job.TRAIN, attempt)}, "spec": patch}
        replicated = {"name": CONTAINER, "template": {"spec": {"template": pod_template}}}
        spec: Value = {
            "runtimeRef": {
                "apiGroup": "trainer.kubeflow.org",
                "kind": "ClusterTrainingRuntime",
                "name": training.runtime or ask.site.training_runtime,
            },
            "activeDeadlineSeconds": training.active_deadline_seconds,
            "trainer": {
                "image": worker["image"],
                "command": worker["command"],
                "env": worker["env"],
                "numNodes": training.nodes,
                "numProcPerNode": processes(ask),
                "resourcesPerNode": worker["resources"],
            },
            "runtimePatches": [
                {"manager": PATCHER, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [replicated]}}}}
            ],
        }
        if training.queue:
            spec["suspend"] = True
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "metadata": training_metadata(ask, attempt),
            "spec": spec,
        }

    def suspension(self, suspended: bool) -> Value:
        return {"suspend": suspended}

    def outcome(self, seen: Mapping[str, Any]) -> Outcome:
        status = seen.get("status") or {}
        began = _began(seen, status)
        failed = condition(status, "Failed")
        if failed is not None:
            return Outcome(Phase.FAILED, said(failed), began, moment(failed.get("lastTransitionTime")))
        complete = condition(status, "Complete")
        if complete is not None:
            lost = sum(one.get("failed") or 0 for one in status.get("jobsStatus") or [])
            ended = moment(complete.get("lastTransitionTime"))
            if lost:
                return Outcome(
                    Phase.FAILED, f"complete, but {lost} of its jobs failed; their logs say why", began, ended
                )
            return Outcome(Phase.SUCCEEDED, "", began, ended)
        if condition(status, "Suspended") is not None:
            return Outcome(Phase.SUSPENDED, "", began)
        return Outcome(Phase.RUNNING, "", began)


def _began(seen: Mapping[str, Any], status: Mapping[str, Any]) -> datetime | None:
    """When it was let go: a TrainJob does not say when it starts, and time in a queue is no time of training."""
    held = next((one for one in status.get("conditions") or [] if one.get("type") == "Suspended"), None)
    if held is not None:
        return None if held.get("status") == "True" else moment(held.get("lastTransitionTime"))
    if (seen.get("spec") or {}).get("suspend"):
        return None
    return moment((seen.get("metadata") or {}).get("creationTimestamp"))
