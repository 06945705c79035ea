"""What the cluster offers: images, addresses, storage. Read from settings once; builders take it as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Value = dict[str, Any]
"""A Kubernetes object, or part of one, as it is sent."""

ARTIFACTS = "/artifacts"
"""Where pods, and the ledger, see the artifact store when it is a volume."""


@dataclass(frozen=True)
class Store:
    """Where datasets, weights and reports are kept."""

    kind: Literal["pvc", "s3"]
    claim: str = ""
    """Claim, in the namespace of the run."""
    at_ledger: str = ARTIFACTS
    """Where the ledger sees the claim."""
    url: str = ""
    """Address such as `s3://bucket/prefix`."""
    secret: str = ""
    """Secret with the credentials of the object store, in the namespace of the run."""


@dataclass(frozen=True)
class Delivery:
    """How InferenceServices split traffic on this cluster."""

    mode: Literal["Standard", "Knative"] = "Standard"
    spelling: str = "Standard"
    """The mode as the installed KServe writes it: `RawDeployment` and `Serverless` before 0.16."""
    canary: bool = True
    """Standard mode: `spec.canary` is there (KServe 0.20)."""
    doubt: str = ""
    """Why it is not known how traffic is split here, with the remedy; empty: it is known."""


@dataclass(frozen=True)
class Site:
    """What builders need to know about the cluster."""

    images: Mapping[str, str]
    """Image by deployable: weights, dpo, evaluate, gate, promote, predictor, cluster."""
    store: Store
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Address of each service that jobs talk to: seed, policy, judge, ledger."""
    service_account: str = "default"
    """Account of job pods. It needs no rights: its token is not mounted."""
    pull_secrets: tuple[str, ...] = ()
    pull_policy: str = "IfNotPresent"
    training_runtime: str = "torch-distributed"
    """ClusterTrainingRuntime of TrainJobs that name none."""
    serving_runtime: str = "kserve-huggingfaceserver"
    """Serving runtime on GPUs."""
    gate_policies: str = ""
    """ConfigMap with gate policies by name; empty: those that ship with the gate."""
    gate_key: str = ""
    """Secret with `gate.pem` and `gate.pub`; empty: verdicts are not signed."""
    git_secret: str = ""
    """Secret that becomes environment of promotion jobs: repository address and credentials."""
    delivery: Delivery = field(default_factory=Delivery)
