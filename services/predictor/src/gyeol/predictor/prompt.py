"""From messages to the text that a model continues."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from gyeol.predictor.domain import Message
from gyeol.predictor.errors import RequestError

Template = Callable[[Sequence[Message]], Awaitable[str]]
"""A model's own form of a conversation. Raises RequestError when it refuses one."""


async def rendered(template: Template, messages: Sequence[Message]) -> str:
    """The conversation in the model's own form, ready for its answer.

    Many templates know no system role: some refuse it, others drop it silently.
    Then what the system says is put before the first thing the user says.

    Raises:
      RequestError: The template refuses this order of roles.
    """
    system = [message.content.strip() for message in messages if message.role == "system"]
    try:
        text = await template(messages)
        if all(words in text for words in system):
            return text
    except RequestError:
        if not system:
            raise
    return await template(folded(messages))


def folded(messages: Sequence[Message]) -> list[Message]:
    """The same conversation without system turns: their words come before the first user turn."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    turns = [message for message in messages if message.role != "system"]
    for place, turn in enumerate(turns):
        if turn.role == "user":
            turns[place] = Message("user", f"{system}\n\n{turn.content}")
            return turns
    return [Message("user", system), *turns]
