"""What a request may say. Unknown fields are let through unread, as clients of other servers send them."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from gyeol.predictor.domain import Message, Sampling

Stop = Annotated[str, StringConstraints(min_length=1)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    model: str
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    n: int | None = Field(default=None, ge=1, le=128)
    stop: Stop | Annotated[list[Stop], Field(max_length=16)] | None = None
    max_tokens: int | None = Field(default=None, ge=0)
    stream: bool | None = None
    stream_options: StreamOptions | None = None

    @property
    def samples(self) -> int:
        return self.n or 1

    @property
    def usage_streamed(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    def _samplings(self, max_tokens: int, alternatives: int | None) -> list[Sampling]:
        first = secrets.randbits(62) if self.seed is None else self.seed
        stop = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return [
            Sampling(
                max_tokens=max_tokens,
                temperature=1.0 if self.temperature is None else self.temperature,
                top_p=self.top_p or 1.0,
                seed=(first + sample) % 2**63,
                stop=tuple(stop),
                alternatives=alternatives,
                streamed=bool(self.stream),
            )
            for sample in range(self.samples)
        ]


class StreamOptions(BaseModel):
    """What a stream tells beside its pieces."""

    include_usage: bool = False


class Part(BaseModel):
    """A part of a message's content."""

    type: Literal["text"]
    text: str


class Turn(BaseModel):
    """One message."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[Part]

    def message(self) -> Message:
        text = self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)
        return Message("system" if self.role == "developer" else self.role, text)


class ChatRequest(_Request):
    """A body of /chat/completions."""

    messages: list[Turn] = Field(min_length=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    logprobs: bool | None = None
    top_logprobs: int | None = Field(default=None, ge=0, le=20)

    def samplings(self, default: int) -> list[Sampling]:
        alternatives = (self.top_logprobs or 0) if self.logprobs else None
        return self._samplings(self.max_completion_tokens or self.max_tokens or default, alternatives)


class CompletionRequest(_Request):
    """A body of /completions."""

    prompt: str | list[str] | list[int] | list[list[int]]
    echo: bool | None = None
    logprobs: int | None = Field(default=None, ge=0, le=20)

    @property
    def prompts(self) -> list[Any]:
        """Texts or token lists, one per continuation."""
        if isinstance(self.prompt, str) or (self.prompt and isinstance(self.prompt[0], int)):
            return [self.prompt]
        return list(self.prompt)

    def samplings(self) -> list[Sampling]:
        return self._samplings(16 if self.max_tokens is None else self.max_tokens, self.logprobs)


_Request.model_rebuild()
