"""The jobs of one run: which attempt is on, where it is, and what has to be made for it.

What was seen once is kept in the run's status, because objects go: by TTL, by hand, with their node.
A job that ended is never looked at again, and one that vanished before it ended counts as failed; neither is made twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gyeol.cluster.cache import Cache
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.kind import JOB, KINDS, POD, Kind
from gyeol.cluster.report import Ending, ending
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.condition import shortened, timestamp
from gyeol.reconcile.manifest.backend import BACKENDS
from gyeol.reconcile.manifest.batch import SECOND_WITNESS, WITNESS, WITNESSED
from gyeol.reconcile.manifest.name import job_name
from gyeol.reconcile.manifest.outcome import Outcome, Phase, batch_outcome, moment
from gyeol.reconcile.seen import Job, JobSeen, JobState
from gyeol.reconcile.status import JobStatus

_STATES = {"Started": JobState.RUNNING, "Done": JobState.DONE, "Failed": JobState.FAILED, "Refused": JobState.REFUSED}


@dataclass
class Ward:
    """What was found about the jobs of a run."""

    records: dict[Job, JobStatus]
    """As they are to be kept."""
    missing: list[tuple[Job, str]] = field(default_factory=list)
    """Objects to be made: the job itself, because a kill came between writing its start down and making it, or a witness of what it left."""
    training: Object | None = None
    """The training job, while there is one."""

    def seen(self) -> Mapping[Job, JobSeen]:
        return {job: _seen(record) for job, record in self.records.items() if record.state != "Forgiven"}


class Wards:
    """Looks at jobs."""

    def __init__(self, cluster: Cluster, cache: Cache) -> None:
        self._cluster = cluster
        self._cache = cache

    async def look(self, run: AlignmentRun, now: datetime) -> Ward:
        """The jobs of a run now."""
        ward = Ward({Job(one.name): one for one in run.status.jobs})
        for job, record in list(ward.records.items()):
            if record.state == "Started":
                ward.records[job] = await self._looked(run, job, record, ward, now)
        return ward

    async def _looked(self, run: AlignmentRun, job: Job, record: JobStatus, ward: Ward, now: datetime) -> JobStatus:
        kind = kind_of(run, job)
        child = self._child(run, job, record, kind)
        if child is None and not record.uid:
            ward.missing.append((job, ""))
            return record
        if child is not None and not record.uid:
            record = record.model_copy(update={"uid": child["metadata"]["uid"]})
        if job is Job.TRAIN:
            ward.training = child
        if job in WITNESSED:
            return await self._witnessed(run, job, record, child, ward, now)
        if child is None:
            return _ended(record, "Failed", "its object was deleted before it ended", now)
        return await self._settled(child, batch_outcome(child), record, now)

    async def _witnessed(
        self, run: AlignmentRun, job: Job, record: JobStatus, child: Object | None, ward: Ward, now: datetime
    ) -> JobStatus:
        """Work of many pods is done when a witness has verified what they left, whatever the status of the object says."""
        if child is not None:
            outcome = BACKENDS[run.spec.training.backend].outcome(child) if job is Job.TRAIN else batch_outcome(child)
            if outcome.phase is Phase.FAILED:
                found = await self._ending(child, by_label=job is Job.TRAIN)
                said = "; ".join(filter(None, (outcome.message, found.message)))
                return _ended(record, "Refused" if found.refused else "Failed", said, now, outcome)
            if outcome.phase is not Phase.SUCCEEDED:
                return _begun(record, outcome)
        done = record
        for part in (WITNESS, SECOND_WITNESS):
            witness = self._child(run, job, record, JOB, part=part)
            if witness is None:
                ward.missing.append((job, part))
                return record
            outcome = batch_outcome(witness)
            done = await self._settled(witness, outcome, record, now)
            # One that succeeded and left no report lost it with its pod; the work it looked at is still there.
            if outcome.phase is not Phase.SUCCEEDED or done.state == "Done":
                break
        if done.state in ("Failed", "Refused"):
            return done.model_copy(update={"message": shortened(f"what {job} left does not hold: {done.message}")})
        return done.model_copy(update={"started_at": record.started_at})

    async def _settled(self, child: Object, outcome: Outcome, record: JobStatus, now: datetime) -> JobStatus:
        if outcome.phase in (Phase.RUNNING, Phase.SUSPENDED):
            return _begun(record, outcome)
        found = await self._ending(child)
        if found.report is not None and outcome.phase is Phase.SUCCEEDED:
            one = found.report
            made = {
                "digest": one.digest,
                "location": one.location,
                "verdict": one.verdict,
                "summary": shortened(one.summary),
            }
            return _ended(record.model_copy(update=made), "Done", "", now, outcome)
        said = found.message or outcome.message or "it ended, but its report is gone"
        return _ended(record, "Refused" if found.refused else "Failed", said, now, outcome)

    async def _ending(self, child: Object, *, by_label: bool = False) -> Ending:
        metadata = child["metadata"]
        label = (
            "training.kubeflow.org/job-name"
            if by_label and child["kind"] == "PyTorchJob"
            else "batch.kubernetes.io/job-name"
        )
        if by_label and child["kind"] == "TrainJob":
            label = "jobset.sigs.k8s.io/jobset-name"
        pods, _ = await self._cluster.list(POD, metadata["namespace"], f"{label}={metadata['name']}")
        return ending(pods)

    def _child(self, run: AlignmentRun, job: Job, record: JobStatus, kind: Kind, part: str = "") -> Object | None:
        name = job_name(run.metadata, job, record.first + record.attempt, part=part)
        return self._cache.get(kind, run.metadata.namespace, name)


def kind_of(run: AlignmentRun, job: Job) -> Kind:
    return KINDS[run.spec.training.backend] if job is Job.TRAIN else JOB


def started(records: Mapping[Job, JobStatus], job: Job, attempt: int) -> JobStatus:
    """The record of an attempt that is about to be made."""
    before = records.get(job)
    return JobStatus(name=job.value, attempt=attempt, first=before.first if before else 0)


def forgiven(records: Mapping[Job, JobStatus]) -> dict[Job, JobStatus]:
    """The records after a person started the run again: failures no longer count, and their names are not used again."""
    return {
        job: JobStatus(name=job.value, first=one.first + one.attempt + 1, state="Forgiven")
        if one.state in ("Failed", "Refused")
        else one
        for job, one in records.items()
    }


def _seen(record: JobStatus) -> JobSeen:
    return JobSeen(
        _STATES[record.state],
        record.attempt,
        record.message,
        moment(record.started_at),
        moment(record.ended_at),
        record.digest,
        record.location,
        record.verdict,
        record.summary,
    )


def _begun(record: JobStatus, outcome: Outcome) -> JobStatus:
    if outcome.started_at is None:
        return record
    return record.model_copy(update={"started_at": timestamp(outcome.started_at)})


def _ended(record: JobStatus, state: str, message: str, now: datetime, outcome: Outcome | None = None) -> JobStatus:
    at = outcome.ended_at if outcome and outcome.ended_at else now
    began = record.started_at or (timestamp(outcome.started_at) if outcome and outcome.started_at else "")
    return record.model_copy(
        update={"state": state, "message": shortened(message), "ended_at": timestamp(at), "started_at": began}
    )
