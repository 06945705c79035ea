"""Errors as the OpenAI API writes them: what is wrong, in which field, and of which kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.chassis.outcomes import told

_SHOWN = 80

STATUS: Mapping[Meaning, int] = {
    Meaning.INVALID: 400,
    Meaning.DENIED: 403,
    Meaning.NOT_FOUND: 404,
    Meaning.CONFLICT: 409,
    Meaning.NOT_READY: 503,
    Meaning.EXHAUSTED: 429,
    Meaning.INTERNAL: 500,
}
_TYPES = {400: "invalid_request_error", 404: "invalid_request_error", 429: "rate_limit_error"}


def status_of(error: Exception) -> int:
    return STATUS[error.meaning] if isinstance(error, GyeolError) else 500


def error_body(error: Exception) -> dict[str, Any]:
    """The JSON of an error; one that is not ours says only its kind."""
    status = status_of(error)
    return body(
        told(error),
        status=status,
        field=getattr(error, "field", None),
        code=getattr(error, "code", None),
    )


def body(message: str, *, status: int, field: str | None, code: str | None) -> dict[str, Any]:
    kind = _TYPES.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "param": field, "code": code}}


def complaint(details: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Sentence and field of the first thing that pydantic found wrong; the value is cut short."""
    detail = details[0]
    place = [part for part in detail["loc"] if part != "body"]
    field = ".".join(str(part) for part in place if not str(part).startswith(("list[", "constrained", "str"))) or "body"
    if detail["type"] == "missing":
        return f"{field} is missing; add it", field
    if detail["type"] == "json_invalid":
        return f"the body is no JSON ({detail.get('ctx', {}).get('error', 'cut short')}); send a JSON object", "body"
    value = repr(detail["input"])
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}... ({len(value)} characters)"
    if detail["type"] == "value_error":
        return f"{field} = {shown} {str(detail['msg']).removeprefix('Value error, ')}", field
    return f"{field} = {shown}: {str(detail['msg'])[:1].lower()}{str(detail['msg'])[1:]}; correct it", field
