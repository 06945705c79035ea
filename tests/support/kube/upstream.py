"""Definitions of the kinds of others: the originals when their folder lies beside the repository, sketches of them otherwise."""

from __future__ import annotations

import functools
from pathlib import Path

from support.kube.crd import Definition, load
from support.kube.sketch import sketches

FOLDER = Path(__file__).parents[4] / "shared" / "crds"
WANTED = (
    "kubeflow.org_pytorchjobs",
    "trainer.kubeflow.org_trainjobs",
    "serving.kserve.io_inferenceservices",
    "kueue.x-k8s.io_workloads.nodesc",
)


@functools.cache
def upstream() -> tuple[Definition, ...]:
    """PyTorchJob, TrainJob, InferenceService and Kueue's Workload."""
    if not FOLDER.is_dir():
        return sketches()
    return tuple(one for name in WANTED for one in load(FOLDER / f"{name}.yaml"))
