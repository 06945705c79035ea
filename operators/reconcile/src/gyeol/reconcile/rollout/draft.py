"""A plan for a promotion while it is being thought out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from gyeol.reconcile.condition import ConditionStatus, found, timestamp, updated
from gyeol.reconcile.plan import Event
from gyeol.reconcile.promotion import ModelPromotion, ModelPromotionStatus
from gyeol.reconcile.rollout.seen import EvidenceSeen, RolloutSeen, RolloutStep

POLL_SECONDS = 10.0


@dataclass(frozen=True)
class RolloutPlan:
    """What is to be done next. The status is stored before the steps are carried out."""

    steps: tuple[RolloutStep, ...]
    status: ModelPromotionStatus
    events: tuple[Event, ...] = ()
    requeue: timedelta | None = None


class RolloutDraft:
    """Collects steps, status and events inside one call of `decide_rollout`."""

    def __init__(self, promotion: ModelPromotion, seen: RolloutSeen, now: datetime) -> None:
        self.promotion = promotion
        self.spec = promotion.spec
        self.seen = seen
        self.now = now
        self.status: ModelPromotionStatus = promotion.status
        self._steps: list[RolloutStep] = []
        self._events: list[Event] = []
        self._requeue: timedelta | None = None

    def step(self, *steps: RolloutStep) -> None:
        self._steps.extend(steps)

    def write(self, **fields: Any) -> None:
        self.status = self.status.model_copy(update=fields)

    def say(self, reason: str, message: str, *, warning: bool = False) -> None:
        self._events.append(Event("Warning" if warning else "Normal", reason, message))

    def reached(self, kind: str, reason: str, message: str = "") -> None:
        self._condition(kind, "True", reason, message)

    def judged(self, evidence: EvidenceSeen) -> None:
        """Says whether the evidence holds, whatever follows from it."""
        self._condition("EvidenceHolds", "True" if evidence.holds else "False", evidence.reason, evidence.message)

    def waiting(self, kind: str, reason: str, message: str = "", seconds: float = POLL_SECONDS) -> RolloutPlan:
        """Not reached yet: look again."""
        self._condition(kind, "Unknown", reason, message)
        self._requeue = timedelta(seconds=seconds)
        return self.plan()

    def blocked(self, kind: str, reason: str, message: str) -> RolloutPlan:
        """It goes on when the cause is gone."""
        self._condition(kind, "False", reason, message)
        self.write(state="Blocked", reason=reason)
        self._requeue = timedelta(seconds=60)
        return self.plan()

    def ended(self, state: str, reason: str, message: str) -> RolloutPlan:
        """For good."""
        self._condition("Served", "False", reason, message)
        self.write(state=state, reason=reason)
        return self.plan()

    def seconds_since(self, text: str) -> float:
        return (self.now - datetime.fromisoformat(text).astimezone(UTC)).total_seconds() if text else 0.0

    @property
    def stamp(self) -> str:
        return timestamp(self.now)

    def plan(self) -> RolloutPlan:
        self.write(observed_generation=self.promotion.metadata.generation)
        return RolloutPlan(tuple(self._steps), self.status, tuple(self._events), self._requeue)

    def _condition(self, kind: str, status: ConditionStatus, reason: str, message: str) -> None:
        before = found(self.status.conditions, kind)
        generation = self.promotion.metadata.generation
        after = updated(self.status.conditions, kind, status, reason, message, generation=generation, now=self.now)
        self.write(conditions=after)
        if status != "Unknown" and (before is None or (before.status, before.reason) != (status, reason)):
            self.say(reason, message or reason, warning=status == "False")
