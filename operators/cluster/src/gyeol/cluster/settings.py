"""Settings of the operator, read from `CLUSTER_*`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from gyeol.chassis.settings import ServiceSettings


class Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="CLUSTER_", frozen=True)

    nats_ensure: bool = False
    """The services make streams; the operator only publishes."""
    namespace: str = ""
    """Namespace to work in; empty: all of them."""
    lease_namespace: str = "default"
    """Namespace of the lease that lets one operator be active."""
    leader_election: bool = True
    """Let one of several operators be active; false only where there is never a second one."""
    lease_seconds: int = Field(default=15, ge=3)
    """How long a leader that says nothing stays leader."""
    seed_address: str = "127.0.0.1:7001"
    """Where the seed service listens."""
    policy_address: str = "127.0.0.1:7002"
    """Where the policy service listens."""
    judge_address: str = "127.0.0.1:7004"
    """Where the judge service listens."""
    ledger_address: str = "127.0.0.1:7005"
    """Where the ledger listens."""
    console_url: str = ""
    """Address of the console, for messages that ask a person to review."""
    image: str = "ghcr.io/gyeol/gyeol-{name}:0.1.0"
    """Image of each deployable; `{name}` stands for its word."""
    images: dict[str, str] = Field(default_factory=dict)
    """Images that differ from `image`, by word, as JSON."""
    pull_policy: Literal["Always", "IfNotPresent", "Never"] = "IfNotPresent"
    """When the kubelet pulls images of jobs."""
    pull_secrets: tuple[str, ...] = ()
    """Secrets for a private registry, as JSON."""
    job_service_account: str = "default"
    """Account of job pods; it needs no rights."""
    artifacts: str = "pvc://gyeol-artifacts"
    """Where datasets, weights and reports are kept: `pvc://claim`, or `s3://bucket/prefix`."""
    artifacts_secret: str = ""
    """Secret with the credentials of the object store, in the namespaces of runs."""
    artifacts_folder: Path = Path("/artifacts")
    """Where the operator itself sees the claim, read-only; not used with an object store."""
    artifacts_at_ledger: str = "/artifacts"
    """Where the ledger sees the claim; not used with an object store."""
    training_runtime: str = "torch-distributed"
    """ClusterTrainingRuntime of TrainJobs that name none."""
    serving_mode: Literal["Auto", "Standard", "Knative"] = "Auto"
    """How InferenceServices are deployed; `Auto` finds out."""
    serving_runtime: str = "kserve-huggingfaceserver"
    """Serving runtime on GPUs."""
    service_url: str = "http://{name}.{namespace}.svc"
    """Address of a Service, for clusters with another domain."""
    check_references: bool = True
    """Refuse a run that names a suite, data or a gate policy that this release does not have; false where images of one's own have others."""
    gate_policies: str = ""
    """ConfigMap with gate policies, in the namespaces of runs; empty: those that ship with the gate."""
    gate_key: str = ""
    """Secret with `gate.pem` and `gate.pub`, in the namespaces of runs; empty: verdicts are not signed."""
    git_secret: str = ""
    """Secret that becomes environment of promotion jobs."""
    workers: int = Field(default=8, ge=1, le=64)
    """Objects in work at once."""
    poll_seconds: float = Field(default=10.0, ge=0.01)
    """Time between two looks at what waits for something that no watch tells of: the data plane, a merge, the time of another attempt."""
    resync_seconds: float = Field(default=600.0, ge=1)
    """Every object is looked at again after so long, whatever watches say."""

    @model_validator(mode="after")
    def _known_store(self) -> Settings:
        if not self.artifacts.startswith(("pvc://", "s3://")) or not self.artifacts.split("://", 1)[1].strip("/"):
            raise ValueError("artifacts is not a place for artifacts; write pvc://claim or s3://bucket/prefix")
        return self
