"""The way back of what a pull request brought: another pull request."""

from __future__ import annotations

from gyeol.reconcile.rollout.draft import RolloutDraft, RolloutPlan
from gyeol.reconcile.rollout.seen import Revert
from gyeol.reconcile.seen import JobState

ATTEMPTS = 3
SERVED = "Served"


def reverted(draft: RolloutDraft, reason: str, why: str) -> RolloutPlan:
    """Has the way back proposed, as the way there was: the operator does not write what it does not own."""
    job, service, model = draft.seen.revert, draft.seen.service, draft.spec.model.digest
    draft.write(state="Pending", reason="Reverting")
    if job is None:
        draft.step(Revert(draft.status.reverts, why))
        return draft.waiting(SERVED, "Reverting")
    if job.state is JobState.RUNNING:
        return draft.waiting(SERVED, "Reverting")
    if job.state is not JobState.DONE:
        if job.state is JobState.REFUSED or draft.status.reverts + 1 >= ATTEMPTS:
            return draft.blocked(SERVED, "CannotRevert", job.message)
        draft.write(reverts=draft.status.reverts + 1)
        draft.step(Revert(draft.status.reverts, why))
        return draft.waiting(SERVED, "Reverting", job.message)
    if draft.seen.undone == "Withdrawn":
        return draft.ended("RolledBack", reason, f"the pull request was closed before anybody merged it: {why}")
    if draft.seen.undone == "Declined":
        return draft.blocked(
            SERVED, "RevertDeclined", f"{draft.seen.pull_request} was closed; open it again and merge it"
        )
    if service is None or (service.digest and service.digest != model):
        return draft.ended("RolledBack", reason, f"another model is served again: {why}")
    draft.write(
        state="Proposed", reason="RevertProposed", pull_request=draft.seen.pull_request, commit=draft.seen.commit
    )
    message = f"{draft.seen.pull_request or 'the revert'} waits to be merged and rolled out"
    return draft.waiting(SERVED, "AwaitingRevert", message, 30)
