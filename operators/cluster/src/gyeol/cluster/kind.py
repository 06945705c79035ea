"""Kinds that the operator reads or writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind in one version."""

    group: str
    version: str
    plural: str
    name: str
    remedy: str = ""
    """What to do when it is not installed."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Path below the server's address."""
        parts = ["apis", self.group, self.version] if self.group else ["api", self.version]
        if namespace:
            parts += ["namespaces", namespace]
        return "/" + "/".join([*parts, self.plural, *filter(None, (name, subresource))])

    @property
    def version_path(self) -> str:
        """Path of its version, where the server says what it serves."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


ALIGNMENT_RUN = Kind("gyeol.dev", "v1alpha1", "alignmentruns", "AlignmentRun", "install the chart charts/crds")
MODEL_PROMOTION = Kind("gyeol.dev", "v1alpha1", "modelpromotions", "ModelPromotion", "install the chart charts/crds")
CULTURE_PACK = Kind("gyeol.dev", "v1alpha1", "culturepacks", "CulturePack", "install the chart charts/crds")
JOB = Kind("batch", "v1", "jobs", "Job")
POD = Kind("", "v1", "pods", "Pod")
CONFIG_MAP = Kind("", "v1", "configmaps", "ConfigMap")
SERVICE = Kind("", "v1", "services", "Service")
EVENT = Kind("", "v1", "events", "Event")
DEFINITION = Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition")
PYTORCH_JOB = Kind(
    "kubeflow.org", "v1", "pytorchjobs", "PyTorchJob",
    "install the Kubeflow training operator, or set spec.training.backend to TrainJob",
)  # fmt: skip
TRAIN_JOB = Kind(
    "trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob",
    "install Kubeflow Trainer, or set spec.training.backend to PyTorchJob",
)  # fmt: skip
INFERENCE_SERVICE = Kind("serving.kserve.io", "v1beta1", "inferenceservices", "InferenceService", "install KServe")
WORKLOAD = Kind(
    "kueue.x-k8s.io", "v1beta2", "workloads", "Workload", "install Kueue, or leave spec.training.queue empty"
)

OURS = (ALIGNMENT_RUN, MODEL_PROMOTION, CULTURE_PACK)
CHILDREN = (JOB, PYTORCH_JOB, TRAIN_JOB, INFERENCE_SERVICE)
"""Kinds whose objects the operator makes and watches."""
KINDS = {kind.name: kind for kind in (*OURS, *CHILDREN, POD, CONFIG_MAP, SERVICE, EVENT, WORKLOAD)}
