"""Training backends behind one interface: what differs between kinds of training jobs, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from gyeol.reconcile.manifest.batch import fetching, mirror
from gyeol.reconcile.manifest.name import child_metadata, job_name, labels, settings_name
from gyeol.reconcile.manifest.outcome import Outcome
from gyeol.reconcile.manifest.pod import SETTINGS, Container, container, gpus, pod, resources, tolerations
from gyeol.reconcile.manifest.site import Value
from gyeol.reconcile.manifest.work import Ask, training_argv
from gyeol.reconcile.seen import Job

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
GRACE_SECONDS = 120
"""Time for a trainer to write its last checkpoint, and for the mirror to send it."""


class Backend(Protocol):
    """One kind of training job."""

    api_version: str
    kind: str

    def job(self, ask: Ask, attempt: int) -> Value:
        """The object for one attempt."""
        ...

    def suspension(self, suspended: bool) -> Value:
        """The part of `spec` that holds a job or lets it go on."""
        ...

    def outcome(self, seen: Mapping[str, object]) -> Outcome:
        """Where the job is, read from its status."""
        ...


def processes(ask: Ask) -> int:
    """Processes on each node: one for each GPU unless the run says otherwise, and one where there is none."""
    training = ask.run.spec.training
    if training.processes_per_node != "auto":
        return training.processes_per_node
    return max(1, gpus(training.resources))


def argv(ask: Ask) -> list[str]:
    """Command line of a training pod. With more than one process, torchrun gives each its rank: the operator's RANK counts pods."""
    module = ["-m", *training_argv("train", ask)]
    if processes(ask) * ask.run.spec.training.nodes == 1:
        return ["python", *module]
    return ["python", "-m", "torch.distributed.run", *module]


def environment(ask: Ask, attempt: int) -> dict[str, str]:
    """Environment of a training process beside what the training operator gives."""
    return {
        "GYEOL_ATTEMPT": str(attempt),
        "OMP_NUM_THREADS": "1" if processes(ask) > 1 else "4",
        "TOKENIZERS_PARALLELISM": "false",
        **ask.run.spec.training.communication,
    }


def trainer(name: str, ask: Ask, attempt: int) -> Value:
    """The training container."""
    return container(
        Container(
            name,
            ask.site.images["dpo"],
            argv(ask),
            environment(ask, attempt),
            resources(ask.run.spec.training.resources),
            (("settings", SETTINGS), ("shm", "/dev/shm")),  # noqa: S108
        ),
        ask.site,
    )


def training_volumes(ask: Ask) -> list[Value]:
    """Volumes of a training pod beside the artifact store."""
    shared: Value = {"medium": "Memory", "sizeLimit": ask.run.spec.training.shared_memory}
    return [
        {"name": "settings", "configMap": {"name": settings_name(ask.run.metadata)}},
        {"name": "shm", "emptyDir": shared},
    ]


def training_pod(name: str, ask: Ask, attempt: int) -> Value:
    """A training pod."""
    training = ask.run.spec.training
    return pod(
        ask.site,
        [trainer(name, ask, attempt)],
        [*fetching(Job.TRAIN, ask), *mirror(ask)],
        training_volumes(ask),
        nodeSelector=dict(training.node_selector),
        tolerations=tolerations(training.tolerations),
        affinity=training.affinity.model_dump(mode="json"),
        terminationGracePeriodSeconds=GRACE_SECONDS,
    )


def training_metadata(ask: Ask, attempt: int) -> Value:
    """Metadata of a training job: the queue is named by label, as Kueue reads it."""
    training = ask.run.spec.training
    marks = labels(ask.run.metadata, Job.TRAIN, attempt)
    if training.queue:
        marks[QUEUE_LABEL] = training.queue
        if training.priority:
            marks[PRIORITY_LABEL] = training.priority
    return child_metadata("AlignmentRun", ask.run.metadata, job_name(ask.run.metadata, Job.TRAIN, attempt), marks)
