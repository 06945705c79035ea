"""What a request may say.

Fields that would change the answer and are not supported are refused unless they say nothing; any other unknown field is let through
unread, for clients send fields of many servers.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from gyeol.predictor.domain import Message, Sampling

Stop = Annotated[str, StringConstraints(min_length=1)]
_MOST_SEED = 2**62


def _neutral(value: Any, *, known: tuple[Any, ...]) -> Any:
    if value is None or value in known:
        return value
    raise ValueError("is not supported here; leave it out")


def _only(*known: Any) -> Callable[[Any], Any]:
    return partial(_neutral, known=known)


class StreamOptions(BaseModel):
    """What a stream tells beside its pieces."""

    include_usage: bool = False


class _Request(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    model: str
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = Field(default=None, ge=0, lt=_MOST_SEED)
    n: int | None = Field(default=None, ge=1, le=128)
    stop: Stop | Annotated[list[Stop], Field(max_length=16)] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    frequency_penalty: Annotated[Any, AfterValidator(_only(0))] = None
    presence_penalty: Annotated[Any, AfterValidator(_only(0))] = None
    repetition_penalty: Annotated[Any, AfterValidator(_only(1))] = None
    logit_bias: Annotated[Any, AfterValidator(_only({}))] = None
    top_k: Annotated[Any, AfterValidator(_only(0, -1))] = None
    min_p: Annotated[Any, AfterValidator(_only(0))] = None

    @property
    def usage_streamed(self) -> bool:
        return bool(self.stream_options and self.stream_options.include_usage)

    def _samplings(self, max_tokens: int, alternatives: int | None) -> list[Sampling]:
        """One per sample. Without a seed the numbers are new each time."""
        first = secrets.randbelow(_MOST_SEED) if self.seed is None else self.seed
        stop = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return [
            Sampling(
                max_tokens=max_tokens,
                temperature=1.0 if self.temperature is None else self.temperature,
                top_p=self.top_p or 1.0,
                seed=first + sample,
                stop=tuple(stop),
                alternatives=alternatives,
                streamed=bool(self.stream),
            )
            for sample in range(self.n or 1)
        ]


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
    tools: Annotated[Any, AfterValidator(_only([]))] = None
    functions: Annotated[Any, AfterValidator(_only([]))] = None
    response_format: Annotated[Any, AfterValidator(_only({"type": "text"}))] = None

    def samplings(self, default: int) -> list[Sampling]:
        alternatives = (self.top_logprobs or 0) if self.logprobs else None
        return self._samplings(self.max_completion_tokens or self.max_tokens or default, alternatives)


class CompletionRequest(_Request):
    """A body of /completions."""

    prompt: str | list[str] | list[int] | list[list[int]]
    max_tokens: int | None = Field(default=None, ge=0)
    echo: bool | None = None
    logprobs: int | None = Field(default=None, ge=0, le=20)
    suffix: Annotated[Any, AfterValidator(_only(""))] = None
    best_of: Annotated[Any, AfterValidator(_only(1))] = None

    @property
    def prompts(self) -> list[Any]:
        """Texts or lists of tokens."""
        if isinstance(self.prompt, str) or (self.prompt and isinstance(self.prompt[0], int)):
            return [self.prompt]
        return list(self.prompt)

    def samplings(self) -> list[Sampling]:
        return self._samplings(16 if self.max_tokens is None else self.max_tokens, self.logprobs)
