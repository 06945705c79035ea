"""Promotes a passing candidate and ends the run."""

from __future__ import annotations

from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.phase.settle import settled
from gyeol.reconcile.seen import Job


def promoted(draft: Draft) -> bool:
    """Promotes the candidate where the run says so."""
    promotion = draft.run.spec.promotion
    if promotion is None:
        return True
    draft.doing("Promoting", "", promotion.environment)
    if not settled(Job.PROMOTE, ConditionType.PROMOTED, draft):
        return False
    return draft.reached(ConditionType.PROMOTED, promotion.strategy, draft.seen.jobs[Job.PROMOTE].summary)


def succeeded(draft: Draft) -> bool:
    """Everything was reached."""
    draft.doing("Succeeded")
    return draft.reached(ConditionType.SUCCEEDED, "Succeeded", "the candidate passed the gate")
