"""Reads what models reply: one JSON object, or nothing that can be used."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from gyeol.chassis.chat import Completion
from gyeol.seed.domain.score import Reason, Unscored

ReplyFormat = Literal["json_schema", "json_object", "none"]

_THOUGHT: Final = re.compile(r"\A.*</(?:think|thinking|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"\A```[a-zA-Z]*\s*\n(.*)\n\s*```\Z", re.DOTALL)


def read(completion: Completion) -> Mapping[str, Any] | Unscored:
    """Returns the object, or why there is none."""
    if completion.finish_reason == "content_filter":
        return Unscored(Reason.REFUSED, "the endpoint's filter stopped the reply")
    if completion.finish_reason == "length":
        return Unscored(Reason.JUDGE_FAILED, "the reply was cut off")
    body = _THOUGHT.sub("", completion.text).strip()
    fenced = _FENCE.match(body)
    try:
        found = json.loads(fenced.group(1) if fenced else body)
    except (ValueError, RecursionError):
        return Unscored(Reason.JUDGE_FAILED, "the reply is not JSON")
    return found if isinstance(found, dict) else Unscored(Reason.JUDGE_FAILED, "the reply is not a JSON object")


def response_format(wanted: ReplyFormat, name: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """How an endpoint is told to reply with an object of these properties."""
    match wanted:
        case "json_schema":
            return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": closed(schema)}}
        case "json_object":
            return {"type": "json_object"}
        case "none":
            return None


def closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
