"""One call, as it is sent and as it is remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson

from gyeol.chassis.chat.completion import Said
from gyeol.chassis.chat.endpoint import Endpoint


@dataclass(frozen=True)
class Call:
    endpoint: Endpoint
    body: bytes
    """The request as JSON with sorted keys."""
    key: str
    """Digest of everything that decides the answer; never the URL or the key of the endpoint."""
    prompt_tokens: int
    """Estimate from above, for the budget."""
    max_tokens: int

    @property
    def most_money(self) -> Decimal | None:
        """What the call can cost; None when the price is unknown."""
        price = self.endpoint.price
        return price.cost(self.prompt_tokens, self.max_tokens) if price else None


def call(
    endpoint: Endpoint,
    messages: Sequence[Said],
    *,
    sample: int,
    temperature: Decimal | float | None,
    max_tokens: int,
    seed: int | None,
    response_format: Mapping[str, Any] | None,
) -> Call:
    """The call that these arguments mean."""
    request: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "max_tokens": max_tokens,
    }
    chosen = endpoint.temperature if temperature is None else temperature
    if chosen is not None:
        request["temperature"] = float(chosen)
    if seed is not None:
        request["seed"] = seed
    if response_format is not None:
        request["response_format"] = dict(response_format)
    body = orjson.dumps(request, option=orjson.OPT_SORT_KEYS)
    return Call(endpoint, body, _key(endpoint, body, sample), _estimate(messages), max_tokens)


def _key(endpoint: Endpoint, body: bytes, sample: int) -> str:
    identity = orjson.dumps([1, endpoint.name, endpoint.revision, sample])
    return hashlib.sha256(identity + b"\n" + body).hexdigest()


def _estimate(messages: Sequence[Said]) -> int:
    """A syllable of Hangul has three bytes and seldom more than one and a half tokens."""
    return sum(len(message.content.encode()) // 2 + 8 for message in messages)
