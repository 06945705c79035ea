"""What jobs made, read from the manifests they wrote last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from gyeol.local.kept import AGAIN, Proof, kept
from gyeol.local.order import Desk
from gyeol.reconcile.seen import Job, JobSeen, JobState, Side


def manifest(job: Job, desk: Desk) -> Path:
    """The file that proves that a job is done."""
    match job:
        case Job.WEIGHTS:
            return desk.baseline / "manifest.json"
        case Job.PREFLIGHT:
            return desk.folder.training / "preflight.json"
        case Job.TRAIN:
            return desk.folder.training / "manifest.json"
        case Job.EVALUATE_BASELINE:
            return desk.folder.evaluation(Side.BASELINE) / "manifest.json"
        case Job.EVALUATE_CANDIDATE:
            return desk.folder.evaluation(Side.CANDIDATE) / "manifest.json"
        case Job.GATE:
            return desk.folder.gate / "verdict.json"
        case Job.PROMOTE:
            return desk.folder.path / "promotion" / "manifest.json"


def made(job: Job, desk: Desk) -> JobSeen | None:
    """The job as done; None while its manifest is not there, or a machine that went down left half of it.

    Raises:
      InputError: Something else wrote the manifest.
    """
    path = manifest(job, desk)
    try:
        text = path.read_bytes()
        json.loads(text)
    except (FileNotFoundError, ValueError):
        return None
    found = kept(path, Proof, AGAIN) or Proof()
    own = "sha256:" + hashlib.sha256(text).hexdigest()
    return JobSeen(
        JobState.DONE,
        digest=found.digest or own,
        location=str(path.parent),
        verdict=found.verdict if job is Job.GATE else "",
        summary=str(found.summary) if job in (Job.GATE, Job.PREFLIGHT) else "",
    )


def inputs(job: Job, made_so_far: Mapping[Job, JobSeen], dataset_digest: str) -> list[str]:
    """Digests of what a job's result was made from, for lineage."""
    digests = {name: one.digest for name, one in made_so_far.items()}
    baseline, candidate = digests.get(Job.WEIGHTS, ""), digests.get(Job.TRAIN, "")
    made_from: dict[Job, list[str]] = {
        Job.TRAIN: [dataset_digest, baseline],
        Job.EVALUATE_BASELINE: [baseline],
        Job.EVALUATE_CANDIDATE: [candidate],
        Job.GATE: [digests.get(Job.EVALUATE_BASELINE, ""), digests.get(Job.EVALUATE_CANDIDATE, "")],
    }
    return [digest for digest in made_from.get(job, []) if digest]


def kind(job: Job) -> str:
    """What the ledger calls the result of a job."""
    names: dict[Job, str] = {Job.GATE: "gate-verdict", Job.WEIGHTS: "model", Job.TRAIN: "model"}
    return names.get(job, "evaluation")
