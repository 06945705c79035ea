"""Asks about a picture: multimodal chat content, which the text client does not speak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import aiohttp
import stamina

from gyeol.chassis.chat import Completion, Endpoint, Message, Usage
from gyeol.chassis.errors import DeniedError, InvalidError, NotReadyError
from gyeol.evaluate.picture import Picture


async def pictured(endpoint: Endpoint, messages: Sequence[Message], picture: Picture, max_tokens: int) -> Completion:
    """Asks with the picture beside the last message.

    Raises:
      InvalidError: The endpoint refuses the request, for example because the model takes no pictures.
      DeniedError: The key is wrong.
      NotReadyError: Down, overloaded or not understood, also after retries.
    """
    shown: list[dict[str, Any]] = [{"role": one.role, "content": one.content} for one in messages]
    shown[-1]["content"] = [
        {"type": "text", "text": messages[-1].content},
        {"type": "image_url", "image_url": {"url": picture.url()}},
    ]
    body = {"model": endpoint.model, "messages": shown, "max_tokens": max_tokens, "temperature": 0.0, "seed": 0}
    try:
        async for attempt in stamina.retry_context(
            on=(aiohttp.ClientError, TimeoutError, NotReadyError), attempts=4, timeout=300
        ):
            with attempt:
                return await _post(endpoint, body)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotReadyError(f"endpoint {endpoint.name}: {type(error).__name__}") from error
    raise NotReadyError(f"endpoint {endpoint.name} was not asked")


async def _post(endpoint: Endpoint, body: dict[str, Any]) -> Completion:
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    limit = aiohttp.ClientTimeout(total=endpoint.timeout_seconds)
    url = endpoint.base_url.rstrip("/") + "/chat/completions"
    async with aiohttp.ClientSession(timeout=limit) as session, session.post(url, json=body, headers=headers) as answer:
        if answer.status in (401, 403):
            raise DeniedError(
                f"endpoint {endpoint.name} refuses the key ({answer.status}); check {endpoint.api_key_env or '--api-key-env'}"
            )
        if 400 <= answer.status < 500 and answer.status not in (408, 429):
            raise InvalidError(
                f"endpoint {endpoint.name} refuses a message with a picture ({answer.status}); does {endpoint.model} take pictures?"
            )
        if answer.status != 200:
            raise NotReadyError(f"endpoint {endpoint.name} answers {answer.status}")
        return _completion(endpoint, await answer.json(content_type=None))


def _completion(endpoint: Endpoint, content: Any) -> Completion:
    try:
        choice = content["choices"][0]
        text, usage = choice["message"]["content"] or "", content.get("usage") or {}
        asked, said = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise NotReadyError(f"endpoint {endpoint.name} answers with something else than a completion") from error
    cost = endpoint.price.cost(asked, said) if endpoint.price else None
    return Completion(str(text), str(choice.get("finish_reason") or ""), Usage(asked, said, cost), cached=False)
