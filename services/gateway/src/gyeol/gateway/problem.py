"""Errors as problem details (RFC 9457): one table from an error's meaning to a status, naming field, value and remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import grpc.aio
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.chassis.outcomes import meaning_of
from gyeol.gateway.errors import UnknownCallerError

MEDIA_TYPE = "application/problem+json"

TABLE: Mapping[Meaning, tuple[int, str]] = MappingProxyType(
    {
        Meaning.INVALID: (400, "The request cannot be used"),
        Meaning.DENIED: (403, "Not allowed"),
        Meaning.NOT_FOUND: (404, "Not found"),
        Meaning.CONFLICT: (409, "In conflict with what is stored"),
        Meaning.NOT_READY: (503, "Not ready"),
        Meaning.EXHAUSTED: (429, "Limit reached"),
        Meaning.INTERNAL: (500, "Our own fault"),
    }
)

_SAID = re.compile(
    r"(?P<field>[\w.\[\]-]+)=(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s:]+): (?P<rest>.+)", re.DOTALL
)
"""How errors of the services begin: `field=value: problem. Remedy.`"""


@dataclass(frozen=True, slots=True)
class Problem:
    status: int
    title: str
    detail: str
    meaning: str
    field: str | None = None
    value: str | None = None
    remedy: str | None = None
    retry_after: float | None = None

    def document(self, instance: str) -> dict[str, Any]:
        """The JSON object; what is not known is absent."""
        known = {name: value for name, value in asdict(self).items() if value is not None and name != "retry_after"}
        return {"type": f"urn:gyeol:problem:{self.meaning.lower().replace('_', '-')}", **known, "instance": instance}

    @property
    def headers(self) -> dict[str, str]:
        headers = {}
        if self.status == 401:
            headers["WWW-Authenticate"] = 'Bearer realm="gyeol"'
        if self.retry_after is not None or self.status == 503:
            headers["Retry-After"] = str(max(1, round(self.retry_after or 5)))
        return headers


def problem_of(error: Exception) -> Problem:
    """What an error is to whoever made the request."""
    if isinstance(error, UnknownCallerError):
        return _said(401, "Who are you?", Meaning.DENIED, str(error), None)
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException):
        return Problem(error.status_code, str(error.detail), str(error.detail), _meaning_of_status(error.status_code))
    meaning = meaning_of(error)
    status, title = TABLE[meaning]
    if isinstance(error, GyeolError):
        return _said(status, title, meaning, str(error), error.retry_after)
    if isinstance(error, grpc.aio.AioRpcError) and meaning is not Meaning.INTERNAL:
        return _said(status, title, meaning, error.details() or title, None)
    # What went wrong inside is in the log; a caller learns nothing of it.
    return Problem(status, title, "The request could not be carried out. The log has the reason.", meaning.value)


def _said(status: int, title: str, meaning: Meaning, text: str, retry_after: float | None) -> Problem:
    said = _SAID.match(text)
    _, _, remedy = (said["rest"] if said else text).partition(". ")
    return Problem(
        status,
        title,
        text,
        meaning.value,
        field=said["field"] if said else None,
        value=said["value"].strip("'\"") if said else None,
        remedy=remedy or None,
        retry_after=retry_after,
    )


def _invalid(error: RequestValidationError) -> Problem:
    first = error.errors()[0]
    place, *path = [str(part) for part in first["loc"]]
    field = ".".join(path) or place
    value = "" if first["type"] == "missing" else str(first.get("input"))[:80]
    detail = f"{field}={value!r}: {first['msg']}. Correct it in the {place}."
    return Problem(400, TABLE[Meaning.INVALID][1], detail, "INVALID", field, value, f"Correct it in the {place}.")


def _meaning_of_status(status: int) -> str:
    return {401: "DENIED", 403: "DENIED", 404: "NOT_FOUND", 429: "EXHAUSTED", 503: "NOT_READY"}.get(
        status, "INVALID" if status < 500 else "INTERNAL"
    )
