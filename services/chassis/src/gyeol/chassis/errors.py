"""Errors that carry a meaning, so that each wire can be told what happened by one table.

    GyeolError
    +-- InvalidError     the input is wrong and stays wrong: do not retry
    +-- DeniedError      the caller or its key may not do this
    +-- NotFoundError    the thing asked for does not exist
    +-- ConflictError    somebody else was first; their result stands
    +-- NotReadyError    something needed is down or still starting: try later
    +-- ExhaustedError   a quota, rate or budget is used up
    +-- InternalError    our own fault

Services subclass these in their own `errors` and name the fact: `class PolicyMissingError(NotFoundError)`.
"""

from __future__ import annotations

import enum
from typing import ClassVar


class Meaning(enum.Enum):
    """What an error means to whoever has to act on it."""

    INVALID = "INVALID"
    DENIED = "DENIED"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    NOT_READY = "NOT_READY"
    EXHAUSTED = "EXHAUSTED"
    INTERNAL = "INTERNAL"


class GyeolError(Exception):
    """An error whose message is for a person: it names the field, the value and the remedy, never record text."""

    meaning: ClassVar[Meaning] = Meaning.INTERNAL

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which a retry makes sense, when whoever refused said so."""


class InvalidError(GyeolError):
    meaning = Meaning.INVALID


class DeniedError(GyeolError):
    meaning = Meaning.DENIED


class NotFoundError(GyeolError):
    meaning = Meaning.NOT_FOUND


class ConflictError(GyeolError):
    meaning = Meaning.CONFLICT


class NotReadyError(GyeolError):
    meaning = Meaning.NOT_READY


class ExhaustedError(GyeolError):
    meaning = Meaning.EXHAUSTED


class InternalError(GyeolError):
    meaning = Meaning.INTERNAL
