"""A plan while it is being thought out. It lives inside one call of `decide`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.condition import ConditionStatus, ConditionType, found, updated
from gyeol.reconcile.plan import Event, Plan, Step
from gyeol.reconcile.seen import Seen
from gyeol.reconcile.status import AlignmentRunStatus, State


class Draft:
    """Collects steps, status and events. Every phase writes here and says whether the next one may go on."""

    def __init__(self, run: AlignmentRun, seen: Seen, now: datetime) -> None:
        self.run = run
        self.seen = seen
        self.now = now
        self.status: AlignmentRunStatus = run.status
        self._generation = run.metadata.generation
        self._steps: list[Step] = []
        self._events: list[Event] = []
        self._requeue: timedelta | None = None

    def step(self, *steps: Step) -> None:
        self._steps.extend(steps)

    def event(self, reason: str, message: str) -> None:
        self._events.append(Event("Normal", reason, message))

    def write(self, **fields: Any) -> None:
        """Sets fields of the status."""
        self.status = self.status.model_copy(update=fields)

    def doing(self, state: State, reason: str = "", progress: str = "") -> None:
        self.write(state=state, reason=reason, progress=progress)

    def reached(self, milestone: ConditionType, reason: str, message: str = "") -> bool:
        """Marks a milestone as reached; the next phase may go on."""
        self._condition(milestone, "True", reason, message)
        return True

    def waiting(
        self, milestone: ConditionType, reason: str, message: str = "", *, seconds: float | None = None
    ) -> bool:
        """Marks a milestone as not reached yet; look again after `seconds`, or when something changes."""
        self._condition(milestone, "Unknown", reason, message)
        if seconds is not None:
            self.look_again(seconds)
        return False

    def blocked(self, milestone: ConditionType, reason: str, message: str) -> bool:
        """Marks a milestone as missed for a cause outside the run; it goes on when the cause is gone."""
        self._condition(milestone, "False", reason, message)
        self.doing("Blocked", reason)
        return False

    def ended(self, milestone: ConditionType, reason: str, message: str) -> bool:
        """Ends the run for good: nothing done again would change the result."""
        self._condition(milestone, "False", reason, message)
        told = list(self._events)  # an end is told once, although it is two conditions
        self._condition(ConditionType.SUCCEEDED, "False", reason, message)
        self._events = told
        self.doing("Failed", reason)
        return False

    def look_again(self, seconds: float) -> None:
        wait = timedelta(seconds=seconds)
        self._requeue = wait if self._requeue is None else min(self._requeue, wait)

    def plan(self) -> Plan:
        self.write(observed_generation=self._generation)
        return Plan(tuple(self._steps), self.status, tuple(self._events), self._requeue)

    def _condition(self, milestone: ConditionType, status: ConditionStatus, reason: str, message: str) -> None:
        before = found(self.status.conditions, milestone)
        after = updated(
            self.status.conditions, milestone, status, reason, message, generation=self._generation, now=self.now
        )
        order = list(ConditionType)
        self.write(conditions=tuple(sorted(after, key=lambda one: order.index(ConditionType(one.type)))))
        if status != "Unknown" and (before is None or (before.status, before.reason) != (status, reason)):
            self._events.append(Event("Normal" if status == "True" else "Warning", reason, message))
