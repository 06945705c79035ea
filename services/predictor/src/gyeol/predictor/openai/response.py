"""What answers look like on the wire, as plain JSON values."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gyeol.predictor.domain import TokenProbability

Json = dict[str, Any]


@dataclass(frozen=True)
class Head:
    """What every answer and every chunk of a stream begins with."""

    id: str
    model: str
    created: int
    digest: str

    def body(self, kind: str, choices: list[Json], **more: Any) -> Json:
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": self.digest,
            "choices": choices,
            **more,
        }


def head(prefix: str, model: str, created: int, digest: str) -> Head:
    return Head(f"{prefix}-{uuid.uuid4().hex}", model, created, digest)


def usage(prompt: int, completion: int) -> Json:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def chat_logprobs(probabilities: Sequence[TokenProbability]) -> Json:
    """Probabilities as chat completions write them."""
    return {
        "content": [
            {
                **_chat_token(one.token, one.logprob),
                "top_logprobs": [_chat_token(token, value) for token, value in one.alternatives.items()],
            }
            for one in probabilities
        ],
        "refusal": None,
    }


def completion_logprobs(probabilities: Sequence[TokenProbability], start: int = 0) -> Json:
    """Probabilities as completions write them.

    Args:
      probabilities: Token by token.
      start: Characters of the answer before the first token.
    """
    offsets, place = [], start
    for one in probabilities:
        offsets.append(place)
        place += len(one.token)
    return {
        "tokens": [one.token for one in probabilities],
        "token_logprobs": [one.logprob for one in probabilities],
        "top_logprobs": [one.alternatives if one.logprob is not None else None for one in probabilities],
        "text_offset": offsets,
    }


def _chat_token(token: str, logprob: float | None) -> Json:
    raw = (
        [int(part, 16) for part in token.removeprefix("bytes:").split("\\x")[1:]]
        if token.startswith("bytes:\\x")
        else list(token.encode())
    )
    return {"token": token, "logprob": logprob, "bytes": raw}
