"""Jobs of `batch/v1`: work first, then a witness that looks at what the work left.

The witness is a container of the operator's image.
It reads the manifest that the work wrote last, recomputes every hash, checks the signature of a verdict, records the result in the ledger
and leaves a short report as its termination message.
So a job counts as done by what it left, and no pod needs rights on the API server.
"""

from __future__ import annotations

from collections.abc import Sequence

from gyeol.reconcile.manifest import place
from gyeol.reconcile.manifest.name import JOB_LABEL, child_metadata, job_name, labels, settings_name
from gyeol.reconcile.manifest.pod import KEY, Container, container, pod, tolerations
from gyeol.reconcile.manifest.site import Value
from gyeol.reconcile.manifest.work import INDEX, Ask, inputs, work
from gyeol.reconcile.seen import EVALUATIONS, Job

WITNESS = "witness"
SECOND_WITNESS = "second-witness"
"""Asked when what the first one said went with its pod: looking again is cheap, the work is not."""
WITNESSED = frozenset({Job.TRAIN, *EVALUATIONS})
"""Jobs of many pods: a Job of its own looks at what all of them left."""
PARALLEL = 8
"""Suites measured at once; they share one server."""
_SMALL: Value = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
_DEADLINE = {Job.WEIGHTS: 21600, Job.PREFLIGHT: 7200, Job.GATE: 7200, Job.PROMOTE: 3600}


def batch_job(job: Job, ask: Ask, attempt: int) -> Value:
    """The Job for one attempt of anything but training."""
    spec = ask.run.spec
    evaluates = job in EVALUATIONS
    first = [*fetching(job, ask), container(work(job, ask), ask.site)]
    made = pod(
        ask.site,
        [container(_part_witness(job, ask) if evaluates else _witness(job, ask, attempt), ask.site)],
        first,
        _more_volumes(job, ask),
        restartPolicy="Never",
        nodeSelector=dict(spec.evaluation.node_selector) if evaluates else {},
        tolerations=tolerations(spec.evaluation.tolerations) if evaluates else [],
    )
    deadline = spec.evaluation.active_deadline_seconds if evaluates else _DEADLINE[job]
    built = _job(job_name(ask.run.metadata, job, attempt), job, ask, attempt, made, deadline)
    if evaluates:
        count = len(spec.evaluation.suites)
        built["spec"] |= {"completionMode": "Indexed", "completions": count, "parallelism": min(count, PARALLEL)}
    return built


def witness_job(job: Job, ask: Ask, attempt: int, part: str = WITNESS) -> Value:
    """The Job that looks at what other pods left: after training of whatever kind, or after all suites of an evaluation.

    The parts of an evaluation are put together first.
    """
    folder = place.made(job, ask.run_id, ask.uri)
    argv = ["python", "-m", "gyeol.cluster", "gather", folder, "--parts", str(len(ask.run.spec.evaluation.suites))]
    first = [container(_operator_container("gather", argv, ask), ask.site)] if job in EVALUATIONS else []
    made = pod(
        ask.site,
        [container(_witness(job, ask, attempt), ask.site)],
        [*fetching(job, ask, only_made=True), *first],
        (),
        restartPolicy="Never",
    )
    built = _job(job_name(ask.run.metadata, job, attempt, part=part), job, ask, attempt, made, 7200)
    for metadata in (built["metadata"], built["spec"]["template"]["metadata"]):
        metadata["labels"][JOB_LABEL] = f"{job.value}-{WITNESS}"
    return built


def fetching(job: Job, ask: Ask, *, only_made: bool = False) -> list[Value]:
    """The init container that brings inputs from an object store; none where a volume is mounted."""
    if ask.site.store.kind == "pvc":
        return []
    paths = inputs(job, ask)[-1:] if only_made else inputs(job, ask)
    argv = ["python", "-m", "gyeol.cluster", "fetch", ask.site.store.url, *paths]
    return [container(_operator_container("fetch", argv, ask), ask.site)]


def mirror(ask: Ask) -> list[Value]:
    """The sidecar that keeps sending what training writes to an object store; none where a volume is mounted."""
    if ask.site.store.kind == "pvc":
        return []
    folder = place.made(Job.TRAIN, ask.run_id, ask.uri)
    argv = ["python", "-m", "gyeol.cluster", "mirror", ask.site.store.url, folder]
    return [container(_operator_container("mirror", argv, ask, sidecar=True), ask.site)]


def _witness(job: Job, ask: Ask, attempt: int) -> Container:
    folder = place.made(job, ask.run_id, ask.uri)
    argv = ["python", "-m", "gyeol.cluster", "witness", job.value, folder, "--run-id", ask.run_id]
    argv += ["--ledger-address", ask.site.addresses["ledger"], "--location", place.address(ask.site.store, folder)]
    argv += ["--attempt", str(attempt)]
    if ask.site.store.kind == "s3":
        argv += ["--store", ask.site.store.url]
    mounts: tuple[tuple[str, str], ...] = ()
    if job is Job.GATE and ask.site.gate_key:
        argv += ["--public-key", f"{KEY}/gate.pub"]
        mounts = (("key", KEY),)
    return _operator_container(WITNESS, argv, ask, mounts=mounts)


def _part_witness(job: Job, ask: Ask) -> Container:
    """Verifies one suite and sends it where the store is no volume; the ledger is told of the whole."""
    argv = ["python", "-m", "gyeol.cluster", "part", job.value, f"{place.parts(job, ask.run_id, ask.uri)}/{INDEX}"]
    if ask.site.store.kind == "s3":
        argv += ["--store", ask.site.store.url]
    return _operator_container(WITNESS, argv, ask)


def _operator_container(
    name: str, argv: Sequence[str], ask: Ask, *, mounts: Sequence[tuple[str, str]] = (), sidecar: bool = False
) -> Container:
    return Container(
        name,
        ask.site.images["cluster"],
        argv,
        resources=_SMALL,
        mounts=mounts,
        sidecar=sidecar,
        secret=ask.site.store.secret,
    )


def _more_volumes(job: Job, ask: Ask) -> list[Value]:
    more: list[Value] = [{"name": "settings", "configMap": {"name": settings_name(ask.run.metadata)}}]
    if job is Job.GATE and ask.site.gate_key:
        more.append({"name": "key", "secret": {"secretName": ask.site.gate_key}})
    if job is Job.GATE and ask.site.gate_policies:
        more.append({"name": "policies", "configMap": {"name": ask.site.gate_policies}})
    return more


def _job(name: str, job: Job, ask: Ask, attempt: int, made: Value, deadline: int) -> Value:
    marks = labels(ask.run.metadata, job, attempt)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": child_metadata("AlignmentRun", ask.run.metadata, name, dict(marks)),
        "spec": {
            "backoffLimit": 0,  # another attempt is the run's decision, under another name
            "activeDeadlineSeconds": deadline,
            "podFailurePolicy": {
                "rules": [
                    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                ]
            },
            "template": {"metadata": {"labels": dict(marks)}, "spec": made},
        },
    }
