from __future__ import annotations

from typing import Any

import httpx
import pytest

CHAT = {"model": "tiny", "messages": [{"role": "user", "content": "안녕"}]}
TEXT = {"model": "tiny", "prompt": "안녕"}


async def refused(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answer = await client.post(path, json=body)
    assert answer.status_code >= 400, answer.text
    return answer.status_code, dict(answer.json()["error"])


@pytest.mark.parametrize(
    ("more", "field", "said"),
    [
        ({"temperature": -0.5}, "temperature", "temperature = -0.5: input should be greater than or equal to 0"),
        ({"top_p": 0}, "top_p", "top_p = 0: input should be greater than 0"),
        ({"max_tokens": 0}, "max_tokens", "max_tokens = 0"),
        ({"max_tokens": "ten"}, "max_tokens", "max_tokens = 'ten': input should be a valid integer"),
        ({"seed": -1}, "seed", "seed = -1"),
        ({"n": 0}, "n", "n = 0"),
        ({"messages": []}, "messages", "messages = []"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role", "messages.0.role = 'robot'"),
        ({"messages": [{"role": "user"}]}, "messages.0.content", "messages.0.content is missing"),
        ({"stop": ""}, "stop", "stop = ''"),
        ({"logprobs": True, "top_logprobs": 21}, "top_logprobs", "top_logprobs = 21"),
        ({"tools": [{"type": "function"}]}, "tools", "is not supported here; leave it out"),
        ({"response_format": {"type": "json_object"}}, "response_format", "is not supported here; leave it out"),
        ({"presence_penalty": 0.5}, "presence_penalty", "presence_penalty = 0.5 is not supported here; leave it out"),
        ({"top_k": 40}, "top_k", "top_k = 40 is not supported here; leave it out"),
    ],
    ids=lambda value: value if isinstance(value, str) and "=" not in value else None,
)
async def test_a_wrong_field_is_named_with_its_value(
    client: httpx.AsyncClient, more: dict[str, Any], field: str, said: str
) -> None:
    status, error = await refused(client, "/chat/completions", {**CHAT, **more})
    assert (status, error["type"], error["param"]) == (400, "invalid_request_error", field)
    assert said in error["message"]


@pytest.mark.parametrize(
    "neutral",
    [{"presence_penalty": 0}, {"top_k": -1}, {"tools": []}, {"response_format": {"type": "text"}}, {"user": "a"}],
    ids=lambda value: next(iter(value)),
)
async def test_a_field_that_changes_nothing_is_let_through(client: httpx.AsyncClient, neutral: dict[str, Any]) -> None:
    answer = await client.post("/chat/completions", json={**CHAT, "max_tokens": 1, **neutral})
    assert answer.status_code == 200, answer.text


async def test_a_missing_field_is_named(client: httpx.AsyncClient) -> None:
    status, error = await refused(client, "/completions", {"model": "tiny"})
    assert (status, error["param"], error["message"]) == (400, "prompt", "prompt is missing; add it")


@pytest.mark.parametrize(("path", "body"), [("/chat/completions", CHAT), ("/completions", TEXT)])
async def test_an_unknown_model_is_not_found_and_the_known_ones_are_named(
    client: httpx.AsyncClient, path: str, body: dict[str, Any]
) -> None:
    status, error = await refused(client, path, {**body, "model": "huge"})
    assert (status, error["code"], error["param"]) == (404, "model_not_found", "model")
    assert error["message"] == "model = 'huge': not served here; served: tiny"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/chat/completions", {**CHAT, "messages": [{"role": "user", "content": "서울 " * 200}]}, "messages"),
        (
            "/chat/completions",
            {**CHAT, "messages": [{"role": "user", "content": "서울 " * 200}], "stream": True},
            "messages",
        ),
        ("/completions", {**TEXT, "prompt": "서울 " * 200}, "prompt"),
        ("/completions", {**TEXT, "prompt": "서울 " * 200, "echo": True, "logprobs": 1, "max_tokens": 0}, "prompt"),
    ],
    ids=["chat", "stream", "text", "echo"],
)
async def test_a_prompt_longer_than_the_context_is_refused(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], field: str
) -> None:
    status, error = await refused(client, path, body)
    assert (status, error["param"], error["code"]) == (400, field, "context_length_exceeded")
    assert "and tiny takes 128 with the answer; shorten it" in error["message"]


@pytest.mark.parametrize("prompt", ["", [], [[]], [""]], ids=repr)
async def test_an_empty_prompt_is_refused(client: httpx.AsyncClient, prompt: Any) -> None:
    status, error = await refused(client, "/completions", {**TEXT, "prompt": prompt})
    assert (status, error["param"]) == (400, "prompt")


async def test_a_token_that_the_model_does_not_have_is_named(client: httpx.AsyncClient) -> None:
    status, error = await refused(client, "/completions", {**TEXT, "prompt": [5, 100000]})
    assert (status, error["param"]) == (400, "prompt")
    assert "token 100000 is not in 0.." in error["message"]


async def test_what_is_no_json_is_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/completions", content=b'{"model": ', headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("the body is no JSON")


async def test_an_error_does_not_repeat_a_long_text(client: httpx.AsyncClient) -> None:
    _, error = await refused(client, "/chat/completions", {**CHAT, "messages": "비밀 " * 1000})
    assert len(error["message"]) < 300
