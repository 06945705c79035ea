"""The one parser of judge replies. Whatever is not plainly a verdict is `Unscored`, with the reason.

The judged text is hostile: it may hold a verdict that the judge copies.
So a reply has to carry the ticket of its question, which the judged text cannot know, and must be one JSON object and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from gyeol.judge.domain.score import Reason, Unscored
from gyeol.judge.domain.text import visible

_FENCE: Final = re.compile(r"\A```[a-zA-Z]*\s*\n?(.*?)\n?\s*```\Z", re.DOTALL)
_REFUSAL: Final = re.compile(
    r"죄송|미안|유감|(?:도와|답|평가|판정)[가-힣 ]{0,8}(?:수 없|어렵|않)|\bi(?:'|’)?m sorry\b|\bi (?:can(?:no|'|’)t|cannot|won(?:'|’)t)\b",
    re.IGNORECASE,
)


def parsed(text: str, finish_reason: str, ticket: str) -> Mapping[str, Any] | Unscored:
    """Reads a reply.

    Args:
      text: The reply as the endpoint gave it.
      finish_reason: Its OpenAI finish reason.
      ticket: What the reply must carry to be an answer to this question.
    """
    if finish_reason == "content_filter":
        return Unscored(Reason.REFUSED, "the endpoint's filter stopped the judge")
    if finish_reason == "length":
        return Unscored(Reason.JUDGE_FAILED, "the reply was cut off")
    shown = visible(text)
    if not shown:
        return Unscored(Reason.JUDGE_FAILED, "the reply is empty")
    fenced = _FENCE.match(shown)
    body = (fenced.group(1) if fenced else shown).strip()
    if not body.startswith("{"):
        if _REFUSAL.search(body) and "{" not in body:
            return Unscored(Reason.REFUSED, "the judge refused to judge")
        return Unscored(Reason.JUDGE_FAILED, "the reply is not one JSON object")
    try:
        found = json.loads(body, object_pairs_hook=_once, parse_constant=_refuse)
    except _RepeatedKeyError as error:
        return Unscored(Reason.JUDGE_FAILED, f"the reply says {error} twice")
    except (ValueError, RecursionError):
        return Unscored(Reason.JUDGE_FAILED, "the reply is not one JSON object")
    if found.get("ticket") != ticket:
        return Unscored(Reason.JUDGE_FAILED, "the reply does not carry the ticket of this question")
    return {key: value for key, value in found.items() if key != "ticket"}


def grade(found: Mapping[str, Any], field: str, least: float, most: float) -> float | Unscored:
    """A number of the reply within its scale."""
    value = found.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        return Unscored(Reason.JUDGE_FAILED, f"{field} is no number from {least:g} to {most:g}")
    return float(value)


def truth(found: Mapping[str, Any], field: str) -> bool | Unscored:
    """A yes or no of the reply; `"true"` and 1 are neither."""
    value = found.get(field)
    return value if isinstance(value, bool) else Unscored(Reason.JUDGE_FAILED, f"{field} is neither true nor false")


def note(found: Mapping[str, Any], field: str = "reason", longest: int = 300) -> str:
    """A reason in words; empty when there is none."""
    value = found.get(field)
    return " ".join(value.split())[:longest] if isinstance(value, str) else ""


class _RepeatedKeyError(ValueError):
    """A key came twice: a planted verdict beside the real one."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKeyError(key)
        found[key] = value
    return found


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number")
