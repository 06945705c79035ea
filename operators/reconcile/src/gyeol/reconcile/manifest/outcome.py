"""Where a job is, read from its status in the same words for every kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class Phase(StrEnum):
    """Where a job is."""

    RUNNING = "running"
    """Or waiting: nothing final is known."""
    SUSPENDED = "suspended"
    SUCCEEDED = "succeeded"
    """Its own status says so. Whether it is done is known by what it left."""
    FAILED = "failed"


@dataclass(frozen=True)
class Outcome:
    """Where a job is."""

    phase: Phase
    message: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None


def batch_outcome(seen: Mapping[str, Any]) -> Outcome:
    """Of a `batch/v1` Job."""
    status = seen.get("status") or {}
    failed = condition(status, "Failed")
    began = moment(status.get("startTime"))
    if failed is not None:
        return Outcome(Phase.FAILED, said(failed), began, moment(failed.get("lastTransitionTime")))
    if condition(status, "Complete") is not None:
        return Outcome(Phase.SUCCEEDED, "", began, moment(status.get("completionTime")))
    return Outcome(Phase.RUNNING, "", began)


def condition(status: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    """A condition that is True."""
    return next(
        (one for one in status.get("conditions") or [] if one.get("type") == kind and one.get("status") == "True"), None
    )


def said(one: Mapping[str, Any]) -> str:
    """What a condition says, for people."""
    return ": ".join(part for part in (one.get("reason"), one.get("message")) if part)


def moment(text: object) -> datetime | None:
    """A time as Kubernetes writes it."""
    return datetime.fromisoformat(text).astimezone(UTC) if isinstance(text, str) and text else None
