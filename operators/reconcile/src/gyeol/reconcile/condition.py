"""Conditions: what is known about a run, in the words `kubectl wait` understands.

Positive ones only: a healthy object has no condition that is False. What is not reached yet is Unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from gyeol.reconcile.schema import Described

MESSAGE_LIMIT = 1024
_KOREA = timezone(timedelta(hours=9))
"""The chassis has the same rule; what decides does not import it."""
ConditionStatus = Literal["True", "False", "Unknown"]


class ConditionType(StrEnum):
    """Milestones of a run in the order in which they are reached."""

    DATA_SEALED = "DataSealed"
    PREFLIGHT_PASSED = "PreflightPassed"
    QUOTA_RESERVED = "QuotaReserved"
    TRAINED = "Trained"
    EVALUATED = "Evaluated"
    GATE_PASSED = "GatePassed"
    PROMOTED = "Promoted"
    SUCCEEDED = "Succeeded"


class Condition(Described):
    """One milestone and what is known about it."""

    type: Annotated[str, Field(max_length=63)]
    """Milestone."""
    status: ConditionStatus
    """`Unknown` until it is reached or missed."""
    reason: Annotated[str, Field(max_length=63)]
    """One word for programs."""
    message: Annotated[str, Field(max_length=MESSAGE_LIMIT)] = ""
    """A sentence for people, with the remedy when there is one."""
    observed_generation: int = 1
    """Generation of the specification this was said about."""
    last_transition_time: str
    """When `status` last changed, RFC 3339."""


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC with seconds, as Kubernetes writes times."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def day_in_korea(moment: datetime) -> str:
    """ISO day on which a moment falls where Korean law begins and ends: at midnight in Korea."""
    return moment.astimezone(_KOREA).date().isoformat()


def shortened(text: str, limit: int = MESSAGE_LIMIT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def found(conditions: Iterable[Condition], kind: str) -> Condition | None:
    return next((one for one in conditions if one.type == kind), None)


def updated(
    conditions: tuple[Condition, ...],
    kind: str,
    status: ConditionStatus,
    reason: str,
    message: str,
    *,
    generation: int,
    now: datetime,
) -> tuple[Condition, ...]:
    """The conditions with one of them said anew; its transition time moves only when its status does."""
    before = found(conditions, kind)
    since = before.last_transition_time if before and before.status == status else timestamp(now)
    after = Condition(
        type=kind,
        status=status,
        reason=reason,
        message=shortened(message),
        observed_generation=generation,
        last_transition_time=since,
    )
    if before is None:
        return (*conditions, after)
    return tuple(after if one.type == kind else one for one in conditions)
