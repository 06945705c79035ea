"""Reads what an endpoint answered, which may be anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import orjson

from gyeol.chassis.chat.completion import Completion, Usage
from gyeol.chassis.chat.endpoint import Endpoint
from gyeol.chassis.errors import DeniedError, ExhaustedError, GyeolError, InvalidError, NotReadyError

_CODE: Final = re.compile(r"[a-z][a-z0-9_]{1,63}")
_PAID_UP: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})


class OverloadedError(NotReadyError):
    """The endpoint asks for fewer calls (429)."""


class UnansweredError(NotReadyError):
    """The endpoint was reached and gave no answer; it may charge for the call all the same."""


class GarbledError(UnansweredError):
    """What the endpoint answered is not a chat completion, so it is probably none of a model."""


def completion(endpoint: Endpoint, payload: bytes) -> Completion:
    """The completion that the endpoint answered with status 200.

    Raises:
      GarbledError: It is not a chat completion.
    """
    try:
        answer = orjson.loads(payload)
        choice = answer["choices"][0]
        text = choice["message"].get("content")
        if text is not None and not isinstance(text, str):
            raise TypeError
        counted = answer.get("usage") or {}
        prompt, completed = int(counted.get("prompt_tokens") or 0), int(counted.get("completion_tokens") or 0)
        reason = str(choice.get("finish_reason") or "")
    except (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError):
        raise GarbledError(
            f"endpoint {endpoint.name} answered something that is not a chat completion: check its baseUrl"
        ) from None
    return Completion(text or "", reason, Usage(prompt, completed, _cost(endpoint, prompt, completed)), cached=False)


def refusal(endpoint: Endpoint, status: int, headers: Mapping[str, str], payload: bytes) -> GyeolError:
    """The error that a status other than 200 means. Its words never hold what the endpoint said: it may quote us."""
    code = _code(payload)
    said = f"({status}{f' {code}' if code else ''})"
    name = endpoint.name
    if status in (401, 403):
        remedy = (
            f"correct the key in environment variable {endpoint.api_key_env}"
            if endpoint.api_key_env
            else "name the environment variable that holds its key by apiKeyEnv in the models file"
        )
        return DeniedError(f"endpoint {name} refuses the key {said}: {remedy}")
    if status == 402 or code in _PAID_UP:
        return ExhaustedError(f"the account of endpoint {name} is used up {said}: pay or choose another endpoint")
    retry_after = _seconds(headers)
    if status == 429:
        return OverloadedError(f"endpoint {name} is overloaded {said}", retry_after=retry_after)
    if status in (408, 409, 425) or status >= 500:
        return NotReadyError(f"endpoint {name} failed {said}", retry_after=retry_after)
    if 300 <= status < 400:
        return InvalidError(f"endpoint {name} redirects {said}: write the final address as baseUrl")
    if status == 404:
        return InvalidError(f"endpoint {name} does not know model {endpoint.model!r} {said}: correct model or baseUrl")
    return InvalidError(f"endpoint {name} refuses the request {said}: check its model, limits and parameters")


def _code(payload: bytes) -> str:
    """The endpoint's own word for the error, when it is a word."""
    try:
        error = orjson.loads(payload)["error"]
        word = error.get("code") or error.get("type") or ""
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError):
        return ""
    return word if isinstance(word, str) and _CODE.fullmatch(word) else ""


def _seconds(headers: Mapping[str, str]) -> float | None:
    """Retry-After in seconds. A date is not understood: the client's own back-off has to do."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return min(max(0.0, float(headers[name])) * unit, 300.0)
        except (KeyError, ValueError):
            continue
    return None


def kept(answered: Completion, payer: str = "") -> bytes:
    """A completion as it is stored, with whom it was bought for."""
    usage = answered.usage
    return orjson.dumps([answered.text, answered.finish_reason, usage.prompt_tokens, usage.completion_tokens, payer])


def stored(value: bytes, endpoint: Endpoint, payer: str = "") -> Completion:
    """A stored completion. Nothing is paid for it again; it only costs whom it was bought for, as it did then."""
    text, reason, prompt, completed, *bought_for = orjson.loads(value)
    if not payer or bought_for != [payer]:
        return Completion(text, reason, Usage(prompt, completed, Decimal(0)), cached=True)
    return Completion(text, reason, Usage(prompt, completed, _cost(endpoint, prompt, completed)), cached=False)


def _cost(endpoint: Endpoint, prompt: int, completed: int) -> Decimal | None:
    return endpoint.price.cost(prompt, completed) if endpoint.price else None
