"""How the candidate model is trained."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from gyeol.reconcile.quantity import (
    CommunicationSetting,
    NotNegativeDecimal,
    OptionalName,
    PositiveDecimal,
    PositiveInt,
    ResourceName,
    ResourceQuantity,
)
from gyeol.reconcile.rule import Rule
from gyeol.reconcile.schema import Described
from gyeol.reconcile.spec.affinity import Affinity


def _processes(value: object) -> object:
    if value == "auto" or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 64):
        return value
    raise ValueError("is not a number of processes; write auto or a whole number from 1 to 64")


NodeSelector = Annotated[
    dict[Annotated[str, Field(max_length=317)], Annotated[str, Field(max_length=63)]], Field(max_length=16)
]
"""Labels that a node must have."""


Quantities = Annotated[
    dict[ResourceName, ResourceQuantity],
    Field(max_length=16),
    Rule(
        "self.all(name, name.matches('^([a-z0-9.-]+/)?[A-Za-z0-9][A-Za-z0-9_.-]*$'))",
        "names a resource in a way that Kubernetes does not know; write one such as cpu, memory or nvidia.com/gpu",
    ),
]
"""Amounts by name of the resource."""
CommunicationSettings = Annotated[
    dict[CommunicationSetting, Annotated[str, Field(max_length=1024)]],
    Field(max_length=32),
    Rule(
        "self.all(name, name.matches('^(NCCL|GLOO|UCX|FI|TORCH_NCCL|OMPI)_[A-Z0-9_]+$'))",
        "names a setting of no communication library; start it with NCCL_, GLOO_, UCX_, FI_ or TORCH_NCCL_",
    ),
]
"""Environment of the communication library."""


class Loss(Described):
    """One term of the training loss."""

    name: Literal["sigmoid", "hinge", "ipo", "robust", "apo_zero", "apo_down", "sft"]
    """Loss name as in TRL; `sft` on the chosen answer keeps the text readable."""
    weight: PositiveDecimal
    """Weight of the term, a decimal string."""


class Resources(Described):
    """Resources of a pod, as in Kubernetes. The local hand uses what the machine has."""

    limits: Quantities = Field(default_factory=dict)
    """Upper bounds, for example `nvidia.com/gpu: 8`."""
    requests: Quantities = Field(default_factory=dict)
    """Requests; equal to the limits when absent."""


class Toleration(Described):
    """A toleration of a GPU pool's taint, as in Kubernetes."""

    key: Annotated[str, Field(max_length=317)] = ""
    """Taint key; empty with `Exists` tolerates everything."""
    operator: Literal["Exists", "Equal"] = "Equal"
    """How key and value are matched."""
    value: Annotated[str, Field(max_length=63)] = ""
    """Taint value for `Equal`."""
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"] = ""
    """Taint effect; empty matches all."""


class Adapter(Described):
    """Shape of the LoRA adapter; not used by method `Full`."""

    rank: Annotated[int, Field(ge=1, le=1024)] = 16
    """Rank of the update."""
    alpha: Annotated[int, Field(ge=1, le=4096)] = 32
    """Scale: the update is multiplied by alpha / rank."""


class Training(Described):
    """How the candidate model is trained: DPO on the sealed dataset."""

    backend: Literal["PyTorchJob", "TrainJob"] = "PyTorchJob"
    """Kubernetes job kind; the local hand runs processes either way."""
    method: Literal["LoRA", "QLoRA", "Full"]
    """Which weights are trained."""
    loss: Annotated[tuple[Loss, ...], Field(min_length=1, max_length=4)]
    """Terms of the loss with their weights."""
    beta: PositiveDecimal
    """DPO's beta: how strongly the reference model holds, a decimal string."""
    learning_rate: PositiveDecimal
    """Learning rate at its peak, a decimal string."""
    epochs: PositiveInt
    """Passes over the dataset."""
    batch_size: PositiveInt = 8
    """Pairs in one optimizer step, all processes together."""
    max_length: Annotated[int, Field(ge=64, le=131072)] = 1024
    """Tokens of prompt and answer together; preflight fails when an answer would be cut."""
    adapter: Adapter = Adapter()
    """Shape of the LoRA adapter."""
    random_seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Seed of data order and adapter initialisation."""
    nodes: Annotated[int, Field(ge=1, le=256)] = 1
    """Machines (pods). The local hand runs all processes on one machine."""
    processes_per_node: Annotated[
        Literal["auto"] | int,
        BeforeValidator(_processes),
        Rule(
            "type(self) == int ? self >= 1 && self <= 64 : self == 'auto'", "write auto or a whole number from 1 to 64"
        ),
    ] = "auto"
    """Processes on each node: `auto` means one for each GPU, or one without GPUs."""
    resources: Resources = Resources()
    """Resources of each training pod."""
    node_selector: NodeSelector = Field(default_factory=dict)
    """Labels of the nodes to train on."""
    tolerations: Annotated[tuple[Toleration, ...], Field(max_length=16)] = ()
    """Taints of the nodes to train on."""
    affinity: Affinity = Affinity()
    """Affinity of the training pods, as in Kubernetes."""
    shared_memory: ResourceQuantity = "8Gi"
    """Size of `/dev/shm`, which processes of one node exchange tensors through; counts as memory of the pod."""
    communication: CommunicationSettings = Field(default_factory=dict)
    """Environment of the communication library, for example `NCCL_SOCKET_IFNAME: eth0`; names start with NCCL_, GLOO_, UCX_, FI_ or TORCH_NCCL_."""
    queue: OptionalName = ""
    """Kueue LocalQueue; empty: not queued."""
    priority: OptionalName = ""
    """Kueue WorkloadPriorityClass; empty: the queue's own order."""
    clean_pod_policy: Literal["Running", "All", "None"] = "Running"
    """Which pods of a finished job are deleted; `None` keeps GPUs taken until the job is deleted."""
    backoff_limit: Annotated[int, Field(ge=0, le=32)] = 3
    """How often a failed training pod is started again within one attempt."""
    runtime: OptionalName = ""
    """ClusterTrainingRuntime of a TrainJob; empty: the one the operator is set up with."""
    active_deadline_seconds: Annotated[int, Field(ge=60, le=2592000)] = 86400
    """Seconds after which training is stopped and the run fails."""
    warmup_share: NotNegativeDecimal = "0"
    """Share of the steps over which the learning rate rises, a decimal string."""

    @model_validator(mode="after")
    def _some_preference(self) -> Training:
        names = [term.name for term in self.loss]
        if len(set(names)) != len(names):
            raise ValueError("loss names the same term twice; name each once and add the weights")
        if names == ["sft"]:
            raise ValueError('loss has no preference term; add one, for example {name: sigmoid, weight: "1.0"}')
        if Decimal(self.warmup_share) >= 1:
            raise ValueError('warmupShare is not below 1; write a decimal such as "0.1"')
        return self
