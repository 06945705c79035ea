"""The backend that a run names."""

from __future__ import annotations

from gyeol.reconcile.manifest.pytorchjob import PyTorchJob
from gyeol.reconcile.manifest.training import Backend
from gyeol.reconcile.manifest.trainjob import TrainJob

BACKENDS: dict[str, Backend] = {one.kind: one for one in (PyTorchJob(), TrainJob())}
