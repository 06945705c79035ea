"""The one decision of the platform: what to do next about a run.

Both hands call `decide` again and again with what they see, and carry its plan out.
It is pure: the same run, world and moment give the same plan, and a converged world gives an empty one.
Nothing here remembers anything: after a kill at any point, looking again is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.condition import ConditionType, found
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.identity import run_id
from gyeol.reconcile.phase.attend import attend
from gyeol.reconcile.phase.measure import gated, gathered_and_measured_baseline, measured_candidate
from gyeol.reconcile.phase.pin import named, pinned_culture, pinned_model
from gyeol.reconcile.phase.release import promoted, succeeded
from gyeol.reconcile.phase.seal import reviewed, sealed
from gyeol.reconcile.phase.train import preflighted, trained
from gyeol.reconcile.plan import Plan
from gyeol.reconcile.seen import Seen
from gyeol.reconcile.status import AlignmentRunStatus

PHASES: tuple[Callable[[Draft], bool], ...] = (
    named,
    pinned_culture,
    pinned_model,
    gathered_and_measured_baseline,
    reviewed,
    sealed,
    preflighted,
    trained,
    measured_candidate,
    gated,
    promoted,
    succeeded,
)


def decide(run: AlignmentRun, seen: Seen, now: datetime) -> Plan:
    """What to do next.

    Args:
      run: The specification and what is known so far.
      seen: The world as the hand sees it.
      now: The moment, in UTC.

    Returns:
      Steps, the new status, events and when to look again. The status is to be stored before the steps are carried out.
    """
    draft = Draft(run, seen, now)
    draft.write(run_id=run_id(run))
    if run.spec.suspend and not final(run.status):
        draft.doing("Suspended", "Suspended", "held by spec.suspend; nothing new is started")
        return draft.plan()
    if not final(run.status):
        for phase in PHASES:
            if not phase(draft):
                break
    attend(draft)
    return draft.plan()


def final(status: AlignmentRunStatus) -> bool:
    """True when the run has ended, one way or the other. An end is never taken back."""
    end = found(status.conditions, ConditionType.SUCCEEDED)
    return end is not None and end.status != "Unknown"
