"""Models that answer: waited for, but not for ever."""

from __future__ import annotations

from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.seen import Serving, Side

START_SECONDS = 3600
"""How long a server may take from being made to answering: nodes, images and weights included."""


def answers(side: Side, milestone: ConditionType, draft: Draft, *, seconds: float) -> bool:
    """True when the right model answers. Otherwise it is waited for, or the milestone says why that is in vain.

    Args:
      side: Which of the two models.
      milestone: What cannot be reached without it.
      draft: The plan.
      seconds: When to look again.
    """
    if draft.seen.serving.get(side) is Serving.READY:
        return True
    refused, since = draft.seen.unservable.get(side, ""), draft.seen.serving_since.get(side)
    if refused:
        return draft.blocked(milestone, "CannotServe", refused)
    if since is not None and (draft.now - since).total_seconds() >= START_SECONDS:
        message = (
            f"the {side} does not answer under its name and with its digest, {START_SECONDS} s after its server was made; "
            "the server's events and log say why. The run goes on by itself once it answers"
        )
        return draft.blocked(milestone, "ModelNotAnswering", message)
    return draft.waiting(milestone, "ModelStarting", f"the {side} is being loaded", seconds=seconds)
