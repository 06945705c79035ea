"""Where things lie in the artifact store. Paths are the same for a volume and for an object store."""

from __future__ import annotations

import hashlib
import re

from gyeol.reconcile.manifest.site import ARTIFACTS, Store
from gyeol.reconcile.seen import Job, Side

_FOLDERS = {
    Job.PREFLIGHT: "training",
    Job.TRAIN: "training",
    Job.EVALUATE_BASELINE: "evaluations/baseline",
    Job.EVALUATE_CANDIDATE: "evaluations/candidate",
    Job.GATE: "gate",
    Job.PROMOTE: "promotion",
}


def dataset(run_id: str) -> str:
    """The sealed dataset, below the root of the store."""
    return f"runs/{run_id}/dataset"


def weights(uri: str) -> str:
    """The weights at an address; shared by runs, because the address and the digest say what they are."""
    readable = re.sub(r"[^A-Za-z0-9.-]+", "-", uri).strip("-")[-40:]
    return f"weights/{readable}-{hashlib.sha256(uri.encode()).hexdigest()[:8]}"


def made(job: Job, run_id: str, uri: str) -> str:
    """The folder that a job writes."""
    return weights(uri) if job is Job.WEIGHTS else f"runs/{run_id}/{_FOLDERS[job]}"


def parts(job: Job, run_id: str, uri: str) -> str:
    """The folder of an evaluation's parts, one for each suite by its place in the specification."""
    return f"{made(job, run_id, uri)}/parts"


def model(side: Side, run_id: str, uri: str) -> str:
    """The weights of one of the two models, ready to be served."""
    return weights(uri) if side is Side.BASELINE else f"runs/{run_id}/training/model"


def mounted(path: str) -> str:
    """Where a pod sees it."""
    return f"{ARTIFACTS}/{path}"


def address(store: Store, path: str) -> str:
    """The address by which KServe loads it, and by which it is named in status."""
    return f"pvc://{store.claim}/{path}" if store.kind == "pvc" else f"{store.url.rstrip('/')}/{path}"


def destination(store: Store, path: str) -> str:
    """The address by which the ledger writes it: a path of the volume it mounts too, or an object-store URL."""
    return f"{store.at_ledger}/{path}" if store.kind == "pvc" else address(store, path)
