"""Jobs, brought to their end: asked for, waited for, tried again, or given up."""

from __future__ import annotations

from datetime import timedelta

from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.plan import RunJob
from gyeol.reconcile.seen import Job, JobState

ATTEMPTS = 3
PAUSE = timedelta(seconds=10)
"""Before the second attempt; each further one waits twice as long."""
POLL_SECONDS = 10.0


def settled(job: Job, milestone: ConditionType, draft: Draft) -> bool:
    """True when the job is done. Otherwise it is asked for, waited for, or the milestone says why it cannot be done."""
    one = draft.seen.jobs.get(job)
    if one is None:
        draft.step(RunJob(job))
        return draft.waiting(milestone, "Starting", seconds=POLL_SECONDS)
    if one.state is JobState.DONE:
        return True
    if one.state is JobState.RUNNING:
        return draft.waiting(milestone, "Running", seconds=POLL_SECONDS)
    if one.state is JobState.REFUSED:
        return draft.blocked(milestone, "BadInput", one.message or f"{job} refused its input")
    if one.attempt + 1 >= ATTEMPTS:
        return draft.blocked(milestone, "AttemptsExhausted", f"{job} failed {ATTEMPTS} times: {one.message}")
    due = (one.ended_at or draft.now) + PAUSE * 2**one.attempt
    if draft.now < due:
        return draft.waiting(milestone, "Retrying", one.message, seconds=(due - draft.now).total_seconds())
    draft.step(RunJob(job, one.attempt + 1))
    return draft.waiting(milestone, "Retrying", one.message, seconds=POLL_SECONDS)
