"""The engine over llama.cpp: one GGUF file, quantized or not, with many times the speed of transformers on a processor.

The library runs its own HTTP server inside this process; this engine is its only client. It tells no probabilities.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import httpx
import xllamacpp

from gyeol.predictor.domain import Finish, Generated, Message, Piece, Sampling, Scored
from gyeol.predictor.errors import LoadError, QueueFullError, RequestError
from gyeol.predictor.folder import ModelFolder
from gyeol.predictor.prompt import rendered
from gyeol.predictor.settings import Settings

_CONTEXT = 2048
"""Where the settings name none: every place of the batch has its own cache, which is made at once."""
_MOST_PLACES = 8
_SECONDS = httpx.Timeout(30, read=600)
"""A stream is silent while its request waits for a place and while its prompt is read."""
_MOST_SEED = 2**32 - 1
"""llama.cpp takes this number for "any"."""


class LlamaEngine:
    """A model loaded with llama.cpp.

    Args:
      folder: The model.
      settings: Sizes of batches and queues.
    """

    def __init__(self, folder: ModelFolder, settings: Settings) -> None:
        places = min(settings.batch_rows, _MOST_PLACES)
        key = secrets.token_hex()
        parameters: Any = xllamacpp.CommonParams()
        parameters.model.path = str(folder.weights[0])
        parameters.n_parallel = places
        parameters.n_ctx = places * (settings.context or _CONTEXT)
        parameters.hostnames, parameters.port, parameters.api_keys = ["127.0.0.1"], 0, [key]
        parameters.ui, parameters.verbosity = False, 1
        self._server: Any = xllamacpp.Server(parameters)
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx.AsyncClient(
            base_url=self._server.listening_address, headers=headers, timeout=_SECONDS, trust_env=False
        )
        self._most_waiting = settings.queue_rows + places
        self._in_hand = 0
        with httpx.Client(base_url=self._server.listening_address, headers=headers, trust_env=False) as client:
            self.context = int(client.get("/props").json()["default_generation_settings"]["n_ctx"])
            self.vocabulary = int(client.get("/v1/models").json()["data"][0]["meta"]["n_vocab"])

    async def chat_tokens(self, messages: Sequence[Message]) -> list[int]:
        return await self._encoded(await rendered(self._template, messages), special=False)

    async def text_tokens(self, text: str) -> list[int]:
        return await self._encoded(text, special=True)

    async def text_of(self, tokens: Sequence[int]) -> str:
        return str((await self._asked("/detokenize", {"tokens": list(tokens)}, "prompt"))["content"])

    async def generate(self, tokens: Sequence[int], sampling: Sampling) -> AsyncGenerator[Piece | Generated, None]:
        if sampling.alternatives is not None:
            raise _no_probabilities()
        if self._in_hand >= self._most_waiting:
            raise QueueFullError(f"{self._in_hand} texts wait: send the request again later", retry_after=1.0)
        self._in_hand += 1
        text = ""
        try:
            async with contextlib.aclosing(self._events(tokens, sampling)) as events:
                async for event in events:
                    text += event["content"]
                    if sampling.streamed and event["content"]:
                        yield Piece(event["content"])
                    if event["stop"]:
                        finish = Finish.LENGTH if event["stop_type"] == "limit" else Finish.STOP
                        yield Generated(text, int(event["tokens_predicted"]), finish)
        finally:
            self._in_hand -= 1

    async def score(self, _texts: Sequence[Sequence[int]], _alternatives: int) -> list[Scored]:
        raise _no_probabilities()

    async def close(self) -> None:
        await self._client.aclose()
        await asyncio.to_thread(setattr, self, "_server", None)

    async def _events(self, tokens: Sequence[int], sampling: Sampling) -> AsyncGenerator[dict[str, Any], None]:
        body = {
            "prompt": list(tokens),
            "n_predict": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "samplers": ["temperature", "top_p"],
            "seed": sampling.seed % _MOST_SEED,
            "stop": list(sampling.stop),
            "stream": True,
        }
        async with self._client.stream("POST", "/completion", json=body) as answer:
            if answer.is_error:
                raise _refusal(await answer.aread(), "prompt")
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    yield dict(json.loads(line.removeprefix("data: ")))

    async def _template(self, messages: Sequence[Message]) -> str:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return str((await self._asked("/apply-template", {"messages": turns}, "messages"))["prompt"])

    async def _encoded(self, text: str, *, special: bool) -> list[int]:
        body = {"content": text, "add_special": special, "parse_special": True}
        return list((await self._asked("/tokenize", body, "prompt"))["tokens"])

    async def _asked(self, path: str, body: dict[str, Any], field: str) -> dict[str, Any]:
        answer = await self._client.post(path, json=body)
        if answer.is_error:
            raise _refusal(answer.content, field)
        return dict(answer.json())


def _refusal(content: bytes, field: str) -> Exception:
    """What llama.cpp says, as far as it is the request's fault."""
    error = json.loads(content).get("error", {})
    if int(error.get("code", 500)) < 500 or field == "messages":
        return RequestError(f"{field}: llama.cpp refuses it: {error.get('message')}", field=field)
    return LoadError("llama.cpp cannot answer; its lines in the log say why")


def _no_probabilities() -> RequestError:
    """Its lists leave out tokens that end within a character, as Korean ones often do, and it scores no given text at all."""
    return RequestError(
        "logprobs: llama.cpp does not tell the probability of every token; serve safetensors, or leave logprobs out",
        field="logprobs",
    )
