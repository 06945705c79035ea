"""PyTorchJob of kubeflow.org/v1.

One Master, the rest Workers, each container named `pytorch`.
`OnFailure` restarts a pod in place; every process then resumes from the newest complete checkpoint.
A succeeded Master means Succeeded there even if a Worker failed, so failed replicas are counted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gyeol.reconcile.manifest.name import labels
from gyeol.reconcile.manifest.outcome import Outcome, Phase, condition, moment, said
from gyeol.reconcile.manifest.site import Value
from gyeol.reconcile.manifest.training import processes, training_metadata, training_pod
from gyeol.reconcile.manifest.work import Ask
from gyeol.reconcile.seen import Job


class PyTorchJob:
    """The default backend."""

    api_version = "kubeflow.org/v1"
    kind = "PyTorchJob"

    def job(self, ask: Ask, attempt: int) -> Value:
        training = ask.run.spec.training
        policy: Value = {
            "cleanPodPolicy": training.clean_pod_policy,
            "activeDeadlineSeconds": training.active_deadline_seconds,
            "backoffLimit": training.backoff_limit,
        }
        if training.queue:
            policy["suspend"] = True  # only the queue lets it go: without Kueue's integration it must not start unasked
        replicas: Value = {"Master": self._replicas(1, ask, attempt)}
        if training.nodes > 1:
            replicas["Worker"] = self._replicas(training.nodes - 1, ask, attempt)
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "metadata": training_metadata(ask, attempt),
            "spec": {
                "nprocPerNode": str(processes(ask)),
                "runPolicy": policy,
                "pytorchReplicaSpecs": replicas,
            },
        }

    def suspension(self, suspended: bool) -> Value:
        return {"runPolicy": {"suspend": suspended}}

    def outcome(self, seen: Mapping[str, Any]) -> Outcome:
        status = seen.get("status") or {}
        began = moment(status.get("startTime"))
        ended = moment(status.get("completionTime"))
        failed = condition(status, "Failed")
        if failed is not None:
            return Outcome(Phase.FAILED, said(failed), began, ended or moment(failed.get("lastTransitionTime")))
        if condition(status, "Succeeded") is not None:
            lost = {name: one.get("failed") or 0 for name, one in (status.get("replicaStatuses") or {}).items()}
            if any(lost.values()):
                counted = ", ".join(f"{count} {name}" for name, count in lost.items() if count)
                message = f"the master ended well, but pods failed: {counted}; their logs say why"
                return Outcome(Phase.FAILED, message, began, ended)
            return Outcome(Phase.SUCCEEDED, "", began, ended)
        if condition(status, "Suspended") is not None:
            return Outcome(Phase.SUSPENDED, "", began)
        return Outcome(Phase.RUNNING, "", began)

    def _replicas(self, count: int, ask: Ask, attempt: int) -> Value:
        return {
            "replicas": count,
            "restartPolicy": "OnFailure",
            "template": {
                "metadata": {"labels": labels(ask.run.metadata, Job.TRAIN, attempt)},
                "spec": training_pod("pytorch", ask, attempt),
            },
        }
