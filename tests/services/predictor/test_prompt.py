from __future__ import annotations

from collections.abc import Sequence

import pytest

from gyeol.predictor.domain import Message
from gyeol.predictor.errors import RequestError
from gyeol.predictor.prompt import folded, rendered

SYSTEM, USER = Message("system", "존댓말로 답하세요."), Message("user", "안녕하세요?")


async def knowing(messages: Sequence[Message]) -> str:
    return "".join(f"[{message.role}]{message.content}" for message in messages)


async def dropping(messages: Sequence[Message]) -> str:
    return await knowing([message for message in messages if message.role != "system"])


async def refusing(messages: Sequence[Message]) -> str:
    if messages[0].role == "system":
        raise RequestError("messages: System role not supported", field="messages")
    return await knowing(messages)


async def test_a_template_that_knows_system_turns_gets_them() -> None:
    assert await rendered(knowing, [SYSTEM, USER]) == "[system]존댓말로 답하세요.[user]안녕하세요?"


async def test_where_a_template_drops_system_turns_their_words_go_before_the_user() -> None:
    assert await rendered(dropping, [SYSTEM, USER]) == "[user]존댓말로 답하세요.\n\n안녕하세요?"


async def test_where_a_template_refuses_system_turns_their_words_go_before_the_user() -> None:
    assert await rendered(refusing, [SYSTEM, USER]) == "[user]존댓말로 답하세요.\n\n안녕하세요?"


async def test_what_a_template_refuses_for_another_reason_stays_refused() -> None:
    async def alternating(messages: Sequence[Message]) -> str:
        raise RequestError("messages: roles must alternate", field="messages")

    for messages in ([USER, USER], [SYSTEM, USER, USER]):
        with pytest.raises(RequestError, match="roles must alternate"):
            await rendered(alternating, messages)


def test_a_conversation_without_a_user_keeps_what_the_system_says() -> None:
    assert folded([SYSTEM]) == [Message("user", "존댓말로 답하세요.")]
