"""Server-sent events: the same answer piece by piece."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from gyeol.predictor.domain import Generated, Piece, Prompt, Sampling
from gyeol.predictor.openai import response
from gyeol.predictor.openai.error import error_body
from gyeol.predictor.openai.request import ChatRequest, CompletionRequest
from gyeol.predictor.openai.response import Head, Json
from gyeol.predictor.service import Serving

DONE = b"data: [DONE]\n\n"
_Said = tuple[int, Piece | Generated | Exception]


class Shape(Protocol):
    """How chunks of one route look."""

    @property
    def head(self) -> Head: ...

    @property
    def kind(self) -> str: ...

    @property
    def request(self) -> ChatRequest | CompletionRequest: ...

    def opening(self, place: int, /) -> Json | None:
        """The first choice of a sample; None where there is none."""

    def piece(self, place: int, piece: Piece) -> Json:
        """A piece of a sample."""

    def closing(self, place: int, whole: Generated) -> Json:
        """The last choice of a sample."""


@dataclass(frozen=True)
class Chat:
    """Chunks of chat completions."""

    head: Head
    request: ChatRequest
    kind: str = "chat.completion.chunk"

    def opening(self, place: int) -> Json | None:
        return _choice(place, delta={"role": "assistant", "content": ""})

    def piece(self, place: int, piece: Piece) -> Json:
        found = response.chat_logprobs(piece.probabilities) if self.request.logprobs else None
        return _choice(place, delta={"content": piece.text}, logprobs=found)

    def closing(self, place: int, whole: Generated) -> Json:
        return _choice(place, delta={}, finish=whole.finish.value)


@dataclass(frozen=True)
class Text:
    """Chunks of completions."""

    head: Head
    request: CompletionRequest
    kind: str = "text_completion"

    def opening(self, _place: int) -> Json | None:
        return None

    def piece(self, place: int, piece: Piece) -> Json:
        wanted = self.request.logprobs is not None
        found = response.completion_logprobs(piece.probabilities) if wanted else None
        return _choice(place, text=piece.text, logprobs=found)

    def closing(self, place: int, whole: Generated) -> Json:
        return _choice(place, text="", finish=whole.finish.value)


async def events(
    shape: Shape,
    serving: Serving,
    prompt: Prompt,
    samplings: Sequence[Sampling],
    field: str,
    disclosure: Mapping[str, str],
) -> AsyncGenerator[bytes, None]:
    """Events of a stream. What goes wrong before the first piece is raised, later it is told in the stream."""
    begun, tokens = False, 0
    try:
        async with contextlib.aclosing(_merged(serving, prompt, samplings, field)) as merged:
            async for place, said in merged:
                if not begun:
                    begun = True
                    opening = [one for place in range(len(samplings)) if (one := shape.opening(place))]
                    for choice in opening:
                        yield _event(shape.head.body(shape.kind, [choice], **disclosure))
                if isinstance(said, Generated):
                    tokens += said.tokens
                    yield _event(shape.head.body(shape.kind, [shape.closing(place, said)]))
                else:
                    yield _event(shape.head.body(shape.kind, [shape.piece(place, said)]))
    except Exception as failure:
        if not begun:
            raise
        yield _event(error_body(failure))
    else:
        if shape.request.usage_streamed:
            used = response.usage(len(prompt.tokens), tokens)
            yield _event(shape.head.body(shape.kind, [], usage=used))
    yield DONE


async def _merged(
    serving: Serving, prompt: Prompt, samplings: Sequence[Sampling], field: str
) -> AsyncGenerator[tuple[int, Piece | Generated], None]:
    """Pieces of all samples as they come, each with the place of its sample."""
    said: asyncio.Queue[_Said] = asyncio.Queue()

    async def follow(place: int, sampling: Sampling) -> None:
        try:
            async with contextlib.aclosing(serving.generate(prompt, sampling, field)) as pieces:
                async for piece in pieces:
                    said.put_nowait((place, piece))
        except Exception as failure:
            said.put_nowait((place, failure))

    tasks = [asyncio.create_task(follow(place, sampling)) for place, sampling in enumerate(samplings)]
    try:
        left = len(tasks)
        while left:
            place, one = await said.get()
            if isinstance(one, Exception):
                raise one
            yield place, one
            left -= isinstance(one, Generated)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _choice(place: int, *, finish: str | None = None, **content: Any) -> Json:
    return {"index": place, **content, "finish_reason": finish}


def _event(body: Json) -> bytes:
    return b"data: " + orjson.dumps(body) + b"\n\n"
