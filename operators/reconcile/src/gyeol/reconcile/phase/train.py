"""Checks the data on real tokens, then trains."""

from __future__ import annotations

from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.phase.settle import POLL_SECONDS, settled
from gyeol.reconcile.plan import CancelJob
from gyeol.reconcile.seen import Job, JobState, Quota, Serving
from gyeol.reconcile.status import ModelStatus


def preflighted(draft: Draft) -> bool:
    """Has the data checked before a GPU is asked for."""
    draft.doing("Checking")
    if not settled(Job.PREFLIGHT, ConditionType.PREFLIGHT_PASSED, draft):
        return False
    return draft.reached(ConditionType.PREFLIGHT_PASSED, "Passed", draft.seen.jobs[Job.PREFLIGHT].summary)


def trained(draft: Draft) -> bool:
    """Has the candidate trained, within its deadline and on machines that are free."""
    seen, job = draft.seen, draft.seen.jobs.get(Job.TRAIN)
    draft.doing("Training")
    if job is None and seen.exclusive and any(where is not Serving.ABSENT for where in seen.serving.values()):
        message = "waits until no model is served on this machine"
        return draft.waiting(ConditionType.TRAINED, "MachineBusy", message, seconds=POLL_SECONDS)
    if job is not None and job.state is JobState.RUNNING and job.started_at is not None:
        limit = draft.run.spec.training.active_deadline_seconds
        if (draft.now - job.started_at).total_seconds() >= limit:
            draft.step(CancelJob(Job.TRAIN))
            message = f"training took longer than activeDeadlineSeconds {limit}; raise it or train on more machines"
            return draft.ended(ConditionType.TRAINED, "DeadlineExceeded", message)
    done = settled(Job.TRAIN, ConditionType.TRAINED, draft)
    if job is not None:
        _quota(draft)
    if not done:
        return False
    one = seen.jobs[Job.TRAIN]
    draft.write(candidate=ModelStatus(digest=one.digest, location=one.location))
    return draft.reached(ConditionType.TRAINED, "Trained", one.summary)


def _quota(draft: Draft) -> None:
    if draft.seen.quota is Quota.WAITING:
        draft.waiting(ConditionType.QUOTA_RESERVED, "WaitingInQueue", seconds=POLL_SECONDS)
    else:
        reason = "Reserved" if draft.seen.quota is Quota.RESERVED else "NotQueued"
        draft.reached(ConditionType.QUOTA_RESERVED, reason)
