"""Names of children. The same run, part and attempt always give the same name, so that nothing is made twice.

They are made from the UID: a run that is deleted and made again under its name meets none of the old children.
"""

from __future__ import annotations

import hashlib

from gyeol.reconcile.manifest.site import Value
from gyeol.reconcile.schema import Metadata
from gyeol.reconcile.seen import Job, Side

LABEL_LIMIT = 63
RUN_LABEL = "gyeol.dev/run"
UID_LABEL = "gyeol.dev/owner-uid"
JOB_LABEL = "gyeol.dev/job"
ATTEMPT_LABEL = "gyeol.dev/attempt"
MANAGER = "gyeol-cluster"
"""Field manager of every write, and label of every child."""

_PART = {
    Job.WEIGHTS: "weights",
    Job.PREFLIGHT: "preflight",
    Job.TRAIN: "train",
    Job.EVALUATE_BASELINE: "eval-base",
    Job.EVALUATE_CANDIDATE: "eval-cand",
    Job.GATE: "gate",
    Job.PROMOTE: "promote",
}
_PODS_ROOM = len("-worker-255")
"""A training operator makes names of pods and services from the job's, and those must be labels too."""
_SERVICE_ROOM = len("-predictor-")
"""KServe makes a host label `<name>-predictor-<namespace>`."""


class NameTooLongError(ValueError):
    """No name for a child fits; the text names the remedy."""


def tag(uid: str) -> str:
    """Eight hexadecimal digits that stand for a UID."""
    return hashlib.sha256(uid.encode()).hexdigest()[:8]


def job_name(owner: Metadata, job: Job, attempt: int, *, part: str = "") -> str:
    """Name of the object that carries out one attempt of a job; `part` tells helpers of the same attempt apart."""
    end = f"-{tag(owner.uid)}-{_PART[job]}{'-' + part if part else ''}-{attempt}"
    return _cut(owner.name, LABEL_LIMIT - _PODS_ROOM - len(end)) + end


def settings_name(owner: Metadata) -> str:
    """Name of the ConfigMap with the files that jobs of a run read."""
    return f"{owner.name}-{tag(owner.uid)}-settings"


def service_name(owner: Metadata, side: Side) -> str:
    """Name of the InferenceService of one model of a run.

    Raises:
      NameTooLongError: The namespace leaves no room for it.
    """
    end = f"-{tag(owner.uid)}-{side.value[:4]}"
    room = LABEL_LIMIT - _SERVICE_ROOM - len(owner.namespace) - len(end)
    if room < 1:
        raise NameTooLongError(
            f"namespace {owner.namespace} has {len(owner.namespace)} characters, which leaves no room for the host name of an "
            f"InferenceService; use a namespace of at most {LABEL_LIMIT - _SERVICE_ROOM - len(end) - 1} characters"
        )
    return _cut(owner.name, room) + end


def labels(owner: Metadata, job: Job | None = None, attempt: int | None = None) -> dict[str, str]:
    """Labels by which children are found."""
    found = {
        "app.kubernetes.io/name": "gyeol",
        "app.kubernetes.io/managed-by": MANAGER,
        RUN_LABEL: owner.name,
        UID_LABEL: owner.uid,
    }
    if job is not None:
        found[JOB_LABEL] = job.value
    if attempt is not None:
        found[ATTEMPT_LABEL] = str(attempt)
    return found


def child_metadata(kind: str, owner: Metadata, name: str, marks: dict[str, str]) -> Value:
    """Metadata of a child: owned, so that it goes when its owner goes."""
    reference = {
        "apiVersion": "gyeol.dev/v1alpha1",
        "kind": kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {"name": name, "namespace": owner.namespace, "labels": marks, "ownerReferences": [reference]}


def _cut(name: str, room: int) -> str:
    return name[:room].rstrip("-")
