"""Talking to a model over its OpenAI-compatible endpoint, word by word."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import httpx

from gyeol.local.errors import EndpointError

SECONDS = 120.0


@dataclass(frozen=True)
class Turn:
    """Something that was said."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


def words(url: str, model: str, turns: Sequence[Turn], *, max_tokens: int) -> Iterator[str]:
    """Pieces of the model's answer as they come.

    Raises:
      EndpointError: The endpoint refuses or breaks off.
    """
    body = {
        "model": model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in turns],
        "max_tokens": max_tokens,
        "temperature": 0,
        "stream": True,
    }
    try:
        with httpx.stream("POST", f"{url}/chat/completions", json=body, timeout=SECONDS, trust_env=False) as answer:
            if answer.status_code != httpx.codes.OK:
                answer.read()
                raise EndpointError(f"{model} answers HTTP {answer.status_code}: {answer.text[:300]}")
            for line in answer.iter_lines():
                if line.startswith("data: ") and line != "data: [DONE]":
                    piece = json.loads(line.removeprefix("data: "))["choices"][0]["delta"].get("content")
                    if piece:
                        yield piece
    except httpx.HTTPError as error:
        raise EndpointError(
            f"{model} at {url} broke off ({type(error).__name__}); see gyeol logs predictor-{model}"
        ) from None
