from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from gyeol.predictor.engine.transformer import TransformerEngine

CONTEXT, CHOICES = "질문: 대한민국의 수도는?\n답: ", ("서울", "부산입니다", "정답은 ③번")


async def completed(client: httpx.AsyncClient, **more: Any) -> dict[str, Any]:
    answer = await client.post("/completions", json={"model": "tiny", "temperature": 0, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_a_text_and_its_tokens_are_continued_alike(client: httpx.AsyncClient, engine: TransformerEngine) -> None:
    by_text = await completed(client, prompt="대한민국의", max_tokens=8)
    by_tokens = await completed(client, prompt=await engine.text_tokens("대한민국의"), max_tokens=8)
    assert by_text["choices"] == by_tokens["choices"]
    assert by_text["usage"]["completion_tokens"] == 8


async def test_several_prompts_have_their_choices_in_order(client: httpx.AsyncClient) -> None:
    alone = [(await completed(client, prompt=prompt, max_tokens=6))["choices"][0]["text"] for prompt in ("안녕", "T")]
    found = await completed(client, prompt=["안녕", "T"], max_tokens=6, n=2)
    assert [one["index"] for one in found["choices"]] == [0, 1, 2, 3]
    assert [one["text"] for one in found["choices"]] == [alone[0], alone[0], alone[1], alone[1]]


async def test_an_echo_repeats_the_prompt(client: httpx.AsyncClient) -> None:
    plain = (await completed(client, prompt="안녕", max_tokens=6))["choices"][0]["text"]
    assert (await completed(client, prompt="안녕", max_tokens=6, echo=True))["choices"][0]["text"] == "안녕" + plain


async def test_echoed_probabilities_give_the_log_likelihood_of_choices(
    client: httpx.AsyncClient, engine: TransformerEngine
) -> None:
    """As evaluation harnesses ask for it: context and choice as one prompt of tokens, one more token that they drop."""
    context = await engine.text_tokens(CONTEXT)
    prompts = [context + await engine.text_tokens(choice) for choice in CHOICES]
    found = await completed(client, prompt=prompts, max_tokens=1, echo=True, logprobs=1, seed=1234)
    scored = await engine.score(prompts, 1)
    for prompt, choice, expected in zip(prompts, found["choices"], scored, strict=True):
        told = choice["logprobs"]
        assert len(told["tokens"]) == len(told["token_logprobs"]) == len(told["top_logprobs"]) == len(prompt) + 1
        assert told["token_logprobs"][0] is None
        assert told["top_logprobs"][0] is None
        likelihood = sum(told["token_logprobs"][len(context) : -1])
        assert likelihood == pytest.approx(
            sum(one.logprob or 0 for one in expected.probabilities[len(context) : -1]), abs=1e-4
        )
        greedy = [
            value == max(best.values())
            for value, best in zip(told["token_logprobs"][1:], told["top_logprobs"][1:], strict=True)
        ]
        assert greedy[-1] is True
        assert not all(greedy)


async def test_probabilities_of_the_prompt_alone_need_no_continuation(client: httpx.AsyncClient) -> None:
    found = await completed(client, prompt="안녕", max_tokens=0, echo=True, logprobs=0)
    choice = found["choices"][0]
    assert choice["text"] == "안녕"
    assert found["usage"]["completion_tokens"] == 0
    assert len(choice["logprobs"]["tokens"]) == found["usage"]["prompt_tokens"]
    assert choice["logprobs"]["top_logprobs"][1:] == [{}] * (found["usage"]["prompt_tokens"] - 1)


async def test_offsets_say_where_tokens_begin(client: httpx.AsyncClient) -> None:
    told = (await completed(client, prompt="Seoul", max_tokens=0, echo=True, logprobs=0))["choices"][0]["logprobs"]
    assert [
        "Seoul"[place:].startswith(token) for token, place in zip(told["tokens"], told["text_offset"], strict=True)
    ] == [True] * len(told["tokens"])


async def test_a_stream_says_what_the_whole_text_says(client: httpx.AsyncClient) -> None:
    whole = (await completed(client, prompt="안녕", max_tokens=9))["choices"][0]
    asked = {"model": "tiny", "prompt": "안녕", "max_tokens": 9, "temperature": 0, "stream": True}
    async with client.stream("POST", "/completions", json=asked) as answer:
        lines = [line.removeprefix("data: ") async for line in answer.aiter_lines() if line]
    chunks = [json.loads(line)["choices"][0] for line in lines[:-1]]
    assert lines[-1] == "[DONE]"
    assert "".join(chunk["text"] for chunk in chunks) == whole["text"]
    assert chunks[-1]["finish_reason"] == whole["finish_reason"]
