"""Answers that are no success, in the words of the real server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.kube.resource import Resource


class UnservedError(Exception):
    """A path of no group or version that is served; answered in plain text, as the real one does."""


class RefusalError(Exception):
    """An answer that is no success.

    Args:
      code: HTTP status.
      reason: One word.
      message: What is wrong.
      name: Object that it is about.
      causes: Each fault as `field: what is wrong`, where there are several.
    """

    def __init__(self, code: int, reason: str, message: str, name: str = "", causes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code, self.reason, self.name, self.causes = code, reason, name, causes

    def body(self) -> dict[str, Any]:
        """The answer as a Status."""
        details: dict[str, Any] = {"name": self.name} if self.name else {}
        if self.causes:
            parted = [one.partition(": ") for one in self.causes]
            details["causes"] = [{"field": field, "message": message} for field, _, message in parted]
        return {
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": str(self), "reason": self.reason, "code": self.code, **({"details": details} if details else {}),
        }  # fmt: skip


def invalid(resource: Resource, name: str, wrong: Sequence[str]) -> RefusalError:
    """What an object is refused with."""
    told = wrong[0] if len(wrong) == 1 else f"[{', '.join(wrong)}]"
    return RefusalError(422, "Invalid", f'{resource.qualified_kind} "{name}" is invalid: {told}', name, wrong)


def stale(resource: Resource, name: str, why: str) -> RefusalError:
    """What a write is refused with that was meant for another state of the object."""
    return RefusalError(409, "Conflict", f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}', name)
