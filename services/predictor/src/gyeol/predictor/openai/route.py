"""The routes: an application of its own, mounted beside KServe's routes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Coroutine, Mapping
from typing import Any, TypeVar

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse

from gyeol.chassis import logs
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import GyeolError
from gyeol.predictor.disclosure import Disclosure
from gyeol.predictor.domain import Prompt, Sampling
from gyeol.predictor.errors import GoneError, ModelUnknownError, RequestError
from gyeol.predictor.openai import error, response, stream
from gyeol.predictor.openai.request import ChatRequest, CompletionRequest
from gyeol.predictor.service import Serving

_log = logs.get()
ResultT = TypeVar("ResultT")


def application(models: Mapping[str, Serving], clock: Clock, disclosure: Disclosure, *, max_tokens: int) -> FastAPI:
    """The application with the OpenAI routes.

    Args:
      models: What is served, by name.
      clock: Dates answers.
      disclosure: How answers say that an AI made them.
      max_tokens: Longest answer of a request that names no length.
    """
    app = FastAPI(title="OpenAI-compatible door of the Gyeol predictor", docs_url=None, redoc_url=None)
    door = _Door(models, clock, disclosure, max_tokens)
    app.add_api_route("/models", door.models, methods=["GET"])
    app.add_api_route("/models/{name:path}", door.model, methods=["GET"])
    app.add_api_route("/chat/completions", door.chat, methods=["POST"], response_model=None)
    app.add_api_route("/completions", door.completions, methods=["POST"], response_model=None)
    app.add_exception_handler(Exception, _failed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(GyeolError, _failed)
    return app


class _Door:
    def __init__(self, models: Mapping[str, Serving], clock: Clock, disclosure: Disclosure, max_tokens: int) -> None:
        self._models = models
        self._clock = clock
        self._disclosure = disclosure
        self._max_tokens = max_tokens

    async def models(self) -> Response:
        return _json({"object": "list", "data": [_entry(serving) for serving in self._models.values()]})

    async def model(self, name: str) -> Response:
        return _json(_entry(self._serving(name)))

    async def chat(self, request: ChatRequest, connection: Request) -> Response:
        serving = self._serving(request.model)
        prompt = await serving.chat_prompt([turn.message() for turn in request.messages])
        samplings = request.samplings(self._max_tokens)
        head = self._head("chatcmpl", serving)
        if request.stream:
            return await self._stream(stream.Chat(head, request), serving, prompt, samplings, "messages")
        pairs = [(prompt, sampling) for sampling in samplings]
        made = await _awaited(connection, serving.generated(pairs, "messages"))
        choices = [
            {
                "index": place,
                "message": {"role": "assistant", "content": one.text, "refusal": None},
                "finish_reason": one.finish.value,
                "logprobs": response.chat_logprobs(one.probabilities) if request.logprobs else None,
            }
            for place, one in enumerate(made)
        ]
        used = response.usage(len(prompt.tokens), sum(one.tokens for one in made))
        return self._answer(head.body("chat.completion", choices, usage=used))

    async def completions(self, request: CompletionRequest, connection: Request) -> Response:
        serving = self._serving(request.model)
        prompts = [await serving.text_prompt(given) for given in request.prompts]
        if not prompts:
            raise RequestError("prompt = []: holds no prompt; give at least one", field="prompt")
        head = self._head("cmpl", serving)
        if request.stream:
            if len(prompts) != 1 or request.echo:
                raise RequestError("stream: give one prompt and no echo, or do not stream", field="stream")
            return await self._stream(stream.Text(head, request), serving, prompts[0], request.samplings(), "prompt")
        choices, used = await _awaited(connection, _completed(serving, prompts, request))
        return self._answer(head.body("text_completion", choices, usage=used))

    def _serving(self, name: str) -> Serving:
        if name not in self._models:
            known = ", ".join(self._models) or "none"
            raise ModelUnknownError(f"model = {name!r}: not served here; served: {known}")
        return self._models[name]

    def _head(self, prefix: str, serving: Serving) -> response.Head:
        return response.head(prefix, serving.name, int(self._clock.now().timestamp()), serving.folder.digest)

    def _answer(self, body: dict[str, Any]) -> Response:
        return _json({**body, **self._disclosure.field}, headers=self._disclosure.header)

    async def _stream(
        self, shape: stream.Shape, serving: Serving, prompt: Prompt, samplings: list[Sampling], field: str
    ) -> Response:
        """The first piece is awaited before the answer begins, so that a refusal still has its status."""
        events = stream.events(shape, serving, prompt, samplings, field, self._disclosure.field)
        first = await anext(events)
        return StreamingResponse(
            _after(first, events), media_type="text/event-stream", headers=dict(self._disclosure.header)
        )


async def _completed(
    serving: Serving, prompts: list[Prompt], request: CompletionRequest
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Choices and usage: what was asked for of echo, probabilities and continuation."""
    samplings = request.samplings()
    wanted = samplings[0].max_tokens
    echoed = (
        await serving.scored(prompts, request.logprobs, "prompt")
        if request.echo and request.logprobs is not None
        else None
    )
    pairs = [(prompt, sampling) for prompt in prompts for sampling in samplings]
    made = await serving.generated(pairs, "prompt") if wanted else [None] * len(pairs)
    choices: list[dict[str, Any]] = []
    for place, ((prompt, _), one) in enumerate(zip(pairs, made, strict=True)):
        probabilities = list(one.probabilities) if one else []
        if echoed is not None:
            probabilities = [*echoed[place // len(samplings)].probabilities[:-1], *probabilities]
        text = (prompt.text if request.echo else "") + (one.text if one else "")
        choices.append(
            {
                "index": place,
                "text": text,
                "finish_reason": one.finish.value if one else "length",
                "logprobs": response.completion_logprobs(probabilities) if request.logprobs is not None else None,
            }
        )
    used = response.usage(sum(len(prompt.tokens) for prompt in prompts), sum(one.tokens for one in made if one))
    return choices, used


async def _awaited(connection: Request, making: Coroutine[Any, Any, ResultT]) -> ResultT:
    """An answer, unless its client goes away: then it is given up, for a client that lost patience often asks again."""
    work: asyncio.Task[ResultT] = asyncio.create_task(making)
    gone = asyncio.create_task(_gone(connection))
    try:
        await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise GoneError("the client went away")
        return work.result()
    finally:
        work.cancel()
        gone.cancel()


async def _gone(connection: Request) -> None:
    while (await connection.receive())["type"] != "http.disconnect":
        pass


async def _after(first: bytes, events: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with contextlib.aclosing(events):
        yield first
        async for event in events:
            yield event


def _entry(serving: Serving) -> dict[str, Any]:
    return {
        "id": serving.name,
        "object": "model",
        "created": serving.created,
        "owned_by": "gyeol",
        "digest": serving.folder.digest,
        "base": serving.folder.base,
        "max_model_len": serving.context,
    }


def _json(body: dict[str, Any], *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps(body), status_code=status, media_type="application/json", headers=dict(headers or {}))


async def _failed(_: Request, failure: Exception) -> Response:
    status = error.status_of(failure)
    if status == 500:
        _log.error("request_failed", exc_info=failure)
    retry = getattr(failure, "retry_after", None)
    return _json(error.error_body(failure), status=status, headers={"Retry-After": f"{retry:g}"} if retry else None)


async def _invalid(_: Request, failure: Exception) -> Response:
    message, field = error.complaint(failure.errors() if isinstance(failure, RequestValidationError) else [])
    return _json(error.body(message, status=400, field=field, code="invalid_value"), status=400)
