"""The model that is measured, reached through an OpenAI-compatible endpoint."""

from __future__ import annotations

from dataclasses import dataclass

import aiohttp
import stamina

from gyeol.chassis.chat import Endpoint
from gyeol.evaluate.error import ModelError


@dataclass(frozen=True)
class Served:
    """What an endpoint says it serves."""

    model: str
    digest: str
    """`sha256:<hex>` of the weights, or empty when the endpoint does not tell."""
    context: int | None = None
    """Most tokens of a prompt and its answer (`max_model_len`); None when the endpoint does not tell."""


async def served(endpoint: Endpoint) -> Served:
    """Asks `/models` which model is served; Ready alone does not tell.

    Raises:
      ModelError: The endpoint cannot be reached, or does not serve `endpoint.model`.
    """
    url = endpoint.base_url.rstrip("/") + "/models"
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    try:
        async for attempt in stamina.retry_context(on=(aiohttp.ClientError, TimeoutError), attempts=5, timeout=30):
            with attempt:
                async with (
                    aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=15)) as session,
                    session.get(url, headers=headers) as answer,
                ):
                    answer.raise_for_status()
                    listed = (await answer.json())["data"]
    except (aiohttp.ClientError, TimeoutError, KeyError, ValueError) as error:
        raise ModelError(
            f"{url} cannot be used: {error}; start the model server, or check the address and the key"
        ) from error
    for model in listed:
        if model.get("id") == endpoint.model:
            longest = model.get("max_model_len")
            context = longest if isinstance(longest, int) and longest > 0 else None
            return Served(endpoint.model, str(model.get("digest") or ""), context)
    names = ", ".join(str(model.get("id")) for model in listed)
    raise ModelError(f"{url} does not serve {endpoint.model!r} (it serves {names or 'nothing'}); name one of these")
