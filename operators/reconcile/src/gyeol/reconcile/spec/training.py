"""How the candidate model is trained."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from gyeol.reconcile.quantity import NotNegativeDecimal, PositiveDecimal, PositiveInt, ResourceQuantity
from gyeol.reconcile.schema import Described


def _processes(value: object) -> object:
    if value == "auto" or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 64):
        return value
    raise ValueError("is not a number of processes; write auto or a whole number from 1 to 64")


class Loss(Described):
    """One term of the training loss."""

    name: Literal["sigmoid", "hinge", "ipo", "robust", "apo_zero", "apo_down", "sft"]
    """Loss name as in TRL; `sft` on the chosen answer keeps the text readable."""
    weight: PositiveDecimal
    """Weight of the term, a decimal string."""


class Resources(Described):
    """Resources of each training pod, as in Kubernetes. The local hand uses what the machine has."""

    limits: dict[str, ResourceQuantity] = Field(default_factory=dict)
    """Upper bounds, for example `nvidia.com/gpu: 8`."""
    requests: dict[str, ResourceQuantity] = Field(default_factory=dict)
    """Requests; equal to the limits when absent."""


class Toleration(Described):
    """A toleration of a GPU pool's taint, as in Kubernetes."""

    key: str = ""
    """Taint key; empty with `Exists` tolerates everything."""
    operator: Literal["Exists", "Equal"] = "Equal"
    """How key and value are matched."""
    value: str = ""
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
    processes_per_node: Annotated[Literal["auto"] | int, BeforeValidator(_processes)] = "auto"
    """Processes on each node: `auto` means one for each GPU, or one without GPUs."""
    resources: Resources = Resources()
    """Resources of each training pod."""
    node_selector: Annotated[dict[str, str], Field(max_length=16)] = Field(default_factory=dict)
    """Labels of the nodes to train on."""
    tolerations: Annotated[tuple[Toleration, ...], Field(max_length=16)] = ()
    """Taints of the nodes to train on."""
    queue: Annotated[str, Field(max_length=63)] = ""
    """Kueue LocalQueue; empty: not queued."""
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
