"""From messages to the text that a model continues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError

from gyeol.predictor.domain import Message
from gyeol.predictor.errors import RequestError


def rendered(tokenizer: Any, messages: Sequence[Message]) -> str:
    """The conversation in the model's own form, ready for its answer.

    Many templates know no system role: some refuse it, others drop it silently.
    Then what the system says is put before the first thing the user says.

    Raises:
      RequestError: The model has no template, or its template refuses this order of roles.
    """
    if not tokenizer.chat_template:
        raise RequestError(
            "messages: this model has no chat template; send plain text to /completions instead", field="messages"
        )
    try:
        text = _applied(tokenizer, messages)
        if all(message.content.strip() in text for message in messages if message.role == "system"):
            return text
    except TemplateError as error:
        if not any(message.role == "system" for message in messages):
            raise _refused(error) from None
    try:
        return _applied(tokenizer, folded(messages))
    except TemplateError as error:
        raise _refused(error) from None


def folded(messages: Sequence[Message]) -> list[Message]:
    """The same conversation without system turns: their words come before the first user turn."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    turns = [message for message in messages if message.role != "system"]
    for place, turn in enumerate(turns):
        if turn.role == "user":
            turns[place] = Message("user", f"{system}\n\n{turn.content}")
            return turns
    return [Message("user", system), *turns]


def _applied(tokenizer: Any, messages: Sequence[Message]) -> str:
    turns = [{"role": message.role, "content": message.content} for message in messages]
    return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))


def _refused(error: TemplateError) -> RequestError:
    return RequestError(f"messages: the model's chat template refuses them: {error}", field="messages")
