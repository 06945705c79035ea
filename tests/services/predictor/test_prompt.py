from __future__ import annotations

from typing import Any

import pytest

from gyeol.predictor.domain import Message
from gyeol.predictor.errors import RequestError
from gyeol.predictor.prompt import folded, rendered
from support import tiny_model

SYSTEM, USER = Message("system", "존댓말로 답하세요."), Message("user", "안녕하세요?")
REFUSING = "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
DROPPING = (
    "{% for message in messages if message.role != 'system' %}[{{ message.role }}]{{ message.content }}{% endfor %}"
)


@pytest.fixture
def tokenizer() -> Any:
    return tiny_model.tokenizer()


def test_a_template_that_knows_system_turns_gets_them(tokenizer: Any) -> None:
    assert rendered(tokenizer, [SYSTEM, USER]) == (
        "<|system|>존댓말로 답하세요.<|end|><|user|>안녕하세요?<|end|><|assistant|>"
    )


@pytest.mark.parametrize("template", [REFUSING + DROPPING, DROPPING], ids=["refuses", "drops"])
def test_where_a_template_lacks_system_turns_their_words_go_before_the_user(tokenizer: Any, template: str) -> None:
    tokenizer.chat_template = template
    assert rendered(tokenizer, [SYSTEM, USER]) == "[user]존댓말로 답하세요.\n\n안녕하세요?"


def test_a_conversation_without_a_user_keeps_what_the_system_says() -> None:
    assert folded([SYSTEM]) == [Message("user", "존댓말로 답하세요.")]


def test_a_refusal_of_the_template_is_the_callers_to_mend(tokenizer: Any) -> None:
    tokenizer.chat_template = "{{ raise_exception('roles must alternate') }}"
    with pytest.raises(RequestError, match="roles must alternate") as refused:
        rendered(tokenizer, [USER, USER])
    assert refused.value.field == "messages"


def test_a_model_without_a_template_does_not_chat(tokenizer: Any) -> None:
    tokenizer.chat_template = None
    with pytest.raises(RequestError, match="send plain text to /completions"):
        rendered(tokenizer, [USER])
