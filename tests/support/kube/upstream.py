"""Definitions of the kinds of others, when their folder lies beside the repository."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from support.kube.crd import Definition, load

FOLDER = Path(__file__).parents[4] / "shared" / "crds"
WANTED = (
    "kubeflow.org_pytorchjobs",
    "trainer.kubeflow.org_trainjobs",
    "serving.kserve.io_inferenceservices",
    "kueue.x-k8s.io_workloads.nodesc",
)
MISSING = "the definitions of PyTorchJob, TrainJob, InferenceService and Workload are not beside the repository"
needs_upstream = pytest.mark.skipif(not FOLDER.is_dir(), reason=MISSING)


@functools.cache
def upstream() -> tuple[Definition, ...]:
    """PyTorchJob, TrainJob, InferenceService and Kueue's Workload as their projects define them; nothing where they are not at hand."""
    if not FOLDER.is_dir():
        return ()
    return tuple(one for name in WANTED for one in load(FOLDER / f"{name}.yaml"))
