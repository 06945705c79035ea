"""One short question to a model, asked once: whether it answers at all."""

from __future__ import annotations

from typing import Final

from gyeol.chassis.chat.call import call
from gyeol.chassis.chat.completion import Message
from gyeol.chassis.chat.endpoint import Endpoint

_QUESTION: Final = "안녕하세요."
_TOKENS: Final = 16


async def probe(endpoint: Endpoint) -> None:
    """Returns when the model answers. Nothing is stored or counted; the endpoint may charge for a few tokens.

    Raises:
      GyeolError: As `Chat.complete` says, after one attempt.
    """
    from gyeol.chassis.chat.http import Transport

    transport = Transport()
    question = call(
        endpoint,
        [Message("user", _QUESTION)],
        sample=0,
        temperature=None,
        max_tokens=_TOKENS,
        seed=None,
        response_format=None,
    )
    try:
        await transport.post(question)
    finally:
        await transport.close()
