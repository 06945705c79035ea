"""What happens beside the phases: models are served while they are needed, results are recorded, leftovers are stopped."""

from __future__ import annotations

from gyeol.reconcile.draft import Draft
from gyeol.reconcile.plan import CancelJob, RecordArtifact, ServeModel, StopServing
from gyeol.reconcile.seen import Job, JobState, Serving, Side

RECORDED = (Job.WEIGHTS, Job.TRAIN, Job.EVALUATE_BASELINE, Job.EVALUATE_CANDIDATE, Job.GATE)


def attend(draft: Draft) -> None:
    """Serves, records and cancels as the state of the draft asks for."""
    over = draft.status.state in ("Succeeded", "Failed")
    for side in Side:
        where = draft.seen.serving.get(side, Serving.ABSENT)
        needed = not over and _needed(side, draft)
        if needed and where is Serving.ABSENT:
            draft.step(ServeModel(side))
        elif not needed and where is not Serving.ABSENT:
            draft.step(StopServing(side))
    for job in RECORDED:
        if _is(job, JobState.DONE, draft) and job not in draft.seen.recorded:
            draft.step(RecordArtifact(job))
    if over:
        draft.step(*(CancelJob(job) for job in draft.seen.jobs if _is(job, JobState.RUNNING, draft)))


def _needed(side: Side, draft: Draft) -> bool:
    if side is Side.CANDIDATE:
        return _is(Job.TRAIN, JobState.DONE, draft) and not _is(Job.EVALUATE_CANDIDATE, JobState.DONE, draft)
    if not _is(Job.WEIGHTS, JobState.DONE, draft):
        return False
    if draft.seen.exclusive and _is(Job.TRAIN, JobState.RUNNING, draft):
        return False
    mined = draft.run.spec.data.target_model == "base" and draft.seen.dataset is None
    return mined or not _is(Job.EVALUATE_BASELINE, JobState.DONE, draft)


def _is(job: Job, state: JobState, draft: Draft) -> bool:
    one = draft.seen.jobs.get(job)
    return one is not None and one.state is state
