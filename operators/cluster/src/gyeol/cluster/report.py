"""The short report of a witness: what a job left, verified, as the termination message of its pod."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from gyeol.cluster.client import Object

LIMIT = 4096
"""Bytes that Kubernetes keeps of a termination message."""
REFUSED = 2
"""Exit status of a job whose input is bad."""


@dataclass(frozen=True)
class Report:
    """What a job left."""

    job: str
    digest: str
    location: str
    verdict: str = ""
    summary: str = ""
    values: dict[str, str] | None = None
    """Measured values as decimal strings, of an analysis."""

    def written(self) -> str:
        """As one line that fits into a termination message."""
        text = json.dumps(asdict(self), ensure_ascii=False)
        if len(text.encode()) > LIMIT:
            text = json.dumps({**asdict(self), "summary": self.summary[:300]}, ensure_ascii=False)
        return text


@dataclass(frozen=True)
class Ending:
    """How the newest pod of a job ended."""

    report: Report | None = None
    refused: bool = False
    """A container ended with the exit status for bad input."""
    message: str = ""
    """Last words of the container that failed."""


def ending(pods: Iterable[Object]) -> Ending:
    """How a job ended, read from its pods."""
    newest = sorted(pods, key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")))
    for pod in reversed(newest):
        status = pod.get("status") or {}
        for one in status.get("containerStatuses") or []:
            found = _report(_terminated(one))
            if found is not None:
                return Ending(found)
    for pod in reversed(newest):
        status = pod.get("status") or {}
        for one in [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]:
            ended = _terminated(one)
            if ended.get("exitCode"):
                said = _last_words(str(ended.get("message") or ended.get("reason") or ""))
                return Ending(
                    None,
                    ended["exitCode"] == REFUSED,
                    f"{one.get('name')} ended with status {ended['exitCode']}: {said}",
                )
        if status.get("message"):
            return Ending(None, False, f"{status.get('reason', '')}: {status['message']}".strip(": "))
    return Ending()


def _terminated(one: dict[str, Any]) -> dict[str, Any]:
    return (one.get("state") or {}).get("terminated") or (one.get("lastState") or {}).get("terminated") or {}


def _report(ended: dict[str, Any]) -> Report | None:
    if ended.get("exitCode") != 0:
        return None
    try:
        value = json.loads(str(ended.get("message") or "").strip().splitlines()[-1])
        return Report(**value)
    except (ValueError, TypeError, IndexError):
        return None


def _last_words(text: str) -> str:
    """The message of the last line that is a progress event, or the last line."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    for line in reversed(lines):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and value.get("message"):
            return str(value["message"])[:800]
    return lines[-1][:800] if lines else "no last words"
