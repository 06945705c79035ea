from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from support import tiny_model

if TYPE_CHECKING:
    from gyeol.predictor.engine.transformer import TransformerEngine

ASK = [{"role": "user", "content": "대한민국의 수도는 어디입니까?"}]


def body(**more: Any) -> dict[str, Any]:
    return {"model": "tiny", "messages": ASK, "temperature": 0, "max_tokens": 10, **more}


async def chat(client: httpx.AsyncClient, **more: Any) -> dict[str, Any]:
    answer = await client.post("/chat/completions", json=body(**more))
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def streamed(client: httpx.AsyncClient, **more: Any) -> list[dict[str, Any]]:
    async with client.stream("POST", "/chat/completions", json=body(stream=True, **more)) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line async for line in answer.aiter_lines() if line]
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


async def test_the_list_of_models_tells_what_is_served(client: httpx.AsyncClient) -> None:
    listed = (await client.get("/models")).json()
    assert [(one["id"], one["digest"], one["base"], one["owned_by"]) for one in listed["data"]] == [
        ("tiny", tiny_model.DIGEST, "builtin:tiny", "gyeol")
    ]
    assert (await client.get("/models/tiny")).json()["digest"] == tiny_model.DIGEST
    assert (await client.get("/models/other")).status_code == 404


async def test_an_answer_says_what_it_cost_and_who_gave_it(
    client: httpx.AsyncClient, engine: TransformerEngine
) -> None:
    from gyeol.predictor.domain import Message

    found = await chat(client)
    prompt = len(await engine.chat_tokens([Message("user", ASK[0]["content"])]))
    assert found["usage"] == {"prompt_tokens": prompt, "completion_tokens": 10, "total_tokens": prompt + 10}
    assert found["choices"][0]["finish_reason"] == "length"
    assert found["choices"][0]["message"]["role"] == "assistant"
    assert found["system_fingerprint"] == tiny_model.DIGEST


async def test_an_answer_says_that_an_ai_made_it(client: httpx.AsyncClient) -> None:
    answer = await client.post("/chat/completions", json=body())
    assert answer.headers["ai-disclosure"] == "mode=machine-generated"
    assert answer.json()["ai_disclosure"] == "인공지능이 생성했습니다."
    assert (await streamed(client))[0]["ai_disclosure"] == "인공지능이 생성했습니다."


async def test_answers_made_together_equal_answers_made_alone(client: httpx.AsyncClient) -> None:
    asked = [{"messages": [{"role": "user", "content": text}]} for text in ("안녕", "정답은?", "서울 " * 9, "도우미")]
    together = await asyncio.gather(*(chat(client, **one) for one in asked))
    alone = [await chat(client, **one) for one in asked]
    assert [one["choices"] for one in together] == [one["choices"] for one in alone]


@pytest.mark.parametrize(
    "more", [{}, {"temperature": 0.8, "seed": 3}, {"stop": ["a", "국"]}], ids=["greedy", "sampled", "stop"]
)
async def test_a_stream_says_what_the_whole_answer_says(client: httpx.AsyncClient, more: dict[str, Any]) -> None:
    whole = (await chat(client, **more))["choices"][0]
    chunks = await streamed(client, **more)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(delta.get("content", "") for delta in deltas) == whole["message"]["content"]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks][-1] == whole["finish_reason"]
    assert len({chunk["id"] for chunk in chunks}) == 1


async def test_a_stream_tells_its_usage_when_asked(client: httpx.AsyncClient) -> None:
    whole = (await chat(client))["usage"]
    last = (await streamed(client, stream_options={"include_usage": True}))[-1]
    assert (last["choices"], last["usage"]) == ([], whole)


async def test_several_samples_differ_and_a_seed_repeats_them(client: httpx.AsyncClient) -> None:
    first = await chat(client, n=3, temperature=1.2, seed=11)
    texts = [one["message"]["content"] for one in first["choices"]]
    assert [one["index"] for one in first["choices"]] == [0, 1, 2]
    assert len(set(texts)) == 3
    again = await chat(client, n=3, temperature=1.2, seed=11)
    assert [one["message"]["content"] for one in again["choices"]] == texts
    chunks = await streamed(client, n=3, temperature=1.2, seed=11)
    said = ["", "", ""]
    for chunk in chunks:
        said[chunk["choices"][0]["index"]] += chunk["choices"][0]["delta"].get("content", "")
    assert said == texts


async def test_without_a_seed_two_answers_differ(client: httpx.AsyncClient) -> None:
    one, other = [await chat(client, temperature=1.5, max_tokens=30) for _ in range(2)]
    assert one["choices"][0]["message"]["content"] != other["choices"][0]["message"]["content"]


async def test_a_stop_string_ends_the_answer_and_is_left_out(client: httpx.AsyncClient) -> None:
    whole = (await chat(client))["choices"][0]["message"]["content"]
    stop = whole[3:5]
    found = (await chat(client, stop=stop))["choices"][0]
    assert (found["message"]["content"], found["finish_reason"]) == (whole[: whole.index(stop)], "stop")


async def test_an_answer_ends_where_the_context_does(client: httpx.AsyncClient, engine: TransformerEngine) -> None:
    found = await chat(client, max_tokens=100000)
    assert found["usage"]["total_tokens"] == engine.context or found["choices"][0]["finish_reason"] == "stop"


async def test_the_newer_name_of_the_limit_wins(client: httpx.AsyncClient) -> None:
    assert (await chat(client, max_completion_tokens=4))["usage"]["completion_tokens"] == 4
    assert (await chat(client, max_tokens=None))["usage"]["completion_tokens"] == 12


async def test_probabilities_come_with_alternatives_and_bytes(client: httpx.AsyncClient) -> None:
    found = (await chat(client, logprobs=True, top_logprobs=2))["choices"][0]["logprobs"]["content"]
    assert len(found) == 10
    assert all(len(one["top_logprobs"]) == 2 and one["logprob"] == one["top_logprobs"][0]["logprob"] for one in found)
    chunks = await streamed(client, logprobs=True, top_logprobs=2)
    told = [
        one["logprob"]
        for chunk in chunks
        for one in (chunk["choices"][0].get("logprobs") or {"content": []})["content"]
    ]
    assert told == [one["logprob"] for one in found]


async def test_parts_of_text_are_joined_and_a_developer_is_a_system(client: httpx.AsyncClient) -> None:
    parts = [{"type": "text", "text": "대한민국의 "}, {"type": "text", "text": "수도는 어디입니까?"}]
    assert (await chat(client, messages=[{"role": "user", "content": parts}]))["choices"] == (await chat(client))[
        "choices"
    ]
    turns = [[{"role": role, "content": "짧게."}, *ASK] for role in ("system", "developer")]
    one, other = [(await chat(client, messages=messages))["choices"] for messages in turns]
    assert one == other != (await chat(client))["choices"]
