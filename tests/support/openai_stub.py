"""An OpenAI-compatible server whose behaviour a test writes down.

    async with openai_stub() as stub:
        stub.answer("writer-a", "안녕하세요.")                # always
        stub.script("writer-b", Status(429, retry_after=0.1), Garbage(), "나중에는 됩니다.")   # one after the other, the last one stays
        endpoint = Endpoint(name="a", base_url=stub.url, model="writer-a")
        ...
        assert stub.requests["writer-a"] == 3

A reply is a text, a function from the request's body to a reply, or one of the classes below.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web


@dataclass(frozen=True)
class Text:
    """A completion."""

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 50
    completion_tokens: int = 100
    with_usage: bool = True


@dataclass(frozen=True)
class Status:
    """An HTTP error."""

    status: int
    retry_after: float | None = None
    body: str = '{"error": {"message": "no", "type": "stub"}}'


@dataclass(frozen=True)
class Garbage:
    """Status 200 and a body that is not a completion."""

    body: bytes = b"<html>gateway</html>"


@dataclass(frozen=True)
class Hang:
    """No answer for so many seconds, then a text."""

    seconds: float = 3600.0


@dataclass(frozen=True)
class Hangup:
    """The connection closes without an answer."""


Reply = str | Text | Status | Garbage | Hang | Hangup
Answer = Reply | Callable[[dict[str, Any]], Reply]


class OpenAIStub:
    """Counts what it is asked and answers as it was told."""

    def __init__(self, latency: float = 0.0, capacity: int | None = None) -> None:
        self.latency = latency
        """Seconds before each answer."""
        self.capacity = capacity
        """Requests in work at once; more are answered 429."""
        self.retry_after: float | None = None
        """Retry-After in seconds of those 429."""
        self.context: int | None = None
        """Tokens of a prompt and its answer, as the list of models tells them."""
        self.requests: Counter[str] = Counter()
        """Requests per model, refused ones included."""
        self.statuses: Counter[int] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.in_work = 0
        self.most_in_work = 0
        self.url = ""
        self._scripts: dict[str, deque[Answer]] = {}
        self._stopping = asyncio.Event()

    def answer(self, model: str, answer: Answer) -> None:
        """Always the same; `*` is any model without an answer of its own."""
        self._scripts[model] = deque([answer])

    def script(self, model: str, *answers: Answer) -> None:
        """One after the other; the last one stays."""
        self._scripts[model] = deque(answers)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        model = body.get("model", "")
        self.requests[model] += 1
        self.bodies.append(body)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        if self.capacity is not None and self.in_work >= self.capacity:
            return self._reply(request, model, Status(429, self.retry_after))
        self.in_work += 1
        self.most_in_work = max(self.most_in_work, self.in_work)
        try:
            await asyncio.sleep(self.latency)
            reply = self._next(model, body)
            if isinstance(reply, Hang):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), reply.seconds)
                reply = Text("늦었습니다.")
            return self._reply(request, model, reply)
        finally:
            self.in_work -= 1

    def _next(self, model: str, body: dict[str, Any]) -> Reply:
        script = self._scripts.get(model) or self._scripts.get("*") or deque([Text("네, 알겠습니다.")])
        answer = script.popleft() if len(script) > 1 else script[0]
        return answer(body) if callable(answer) else answer

    def _reply(self, request: web.Request, model: str, reply: Reply) -> web.StreamResponse:
        if isinstance(reply, str):
            reply = Text(reply)
        match reply:
            case Status(status, retry_after, text):
                self.statuses[status] += 1
                headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
                return web.Response(status=status, text=text, headers=headers, content_type="application/json")
            case Garbage(body):
                self.statuses[200] += 1
                return web.Response(body=body, content_type="application/json")
            case Text():
                self.statuses[200] += 1
                return web.json_response(_completion(model, reply))
            case _:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()

    async def models(self, request: web.Request) -> web.Response:
        told = {} if self.context is None else {"max_model_len": self.context}
        return web.json_response(
            {"object": "list", "data": [{"id": name, "object": "model", **told} for name in self._scripts]}
        )

    def stop(self) -> None:
        self._stopping.set()


def _completion(model: str, reply: Text) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": reply.finish_reason,
            }
        ],
    }
    if reply.with_usage:
        answer["usage"] = {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        }
    return answer


@contextlib.asynccontextmanager
async def openai_stub(latency: float = 0.0, capacity: int | None = None) -> AsyncIterator[OpenAIStub]:
    """A started stub; its base URL is `stub.url`."""
    stub = OpenAIStub(latency, capacity)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", stub.complete)
    app.router.add_get("/v1/models", stub.models)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    stub.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield stub
    finally:
        stub.stop()
        await runner.cleanup()
