from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gyeol.predictor.engine.score import Text, take_batch
from support import tiny_model

if TYPE_CHECKING:
    from gyeol.predictor.engine.transformer import TransformerEngine

TEXTS = ("대한민국의 수도는 서울입니다.", "정답은 ③번", "T", "안녕하세요, 저는 한국어 도우미입니다. " * 2)


async def test_scores_are_those_of_a_forward_pass_over_each_text_alone(engine: TransformerEngine) -> None:
    import torch

    model = tiny_model.llama(len(tiny_model.tokenizer()))
    tokens = [await engine.text_tokens(text) for text in TEXTS]
    for text, found in zip(tokens, await engine.score(tokens, 2), strict=True):
        with torch.inference_mode():
            logprobs = torch.log_softmax(model(torch.tensor([text])).logits[0], -1)
        expected = [float(logprobs[place, token]) for place, token in enumerate(text[1:])]
        assert found.probabilities[0].logprob is None
        assert [one.logprob for one in found.probabilities[1:-1]] == pytest.approx(expected, abs=1e-4)
        assert found.probabilities[-1].logprob == pytest.approx(float(logprobs[-1].max()), abs=1e-4)
        for place, one in enumerate(found.probabilities[1:]):
            best = logprobs[place].topk(2).values.tolist()
            assert list(one.alternatives.values()) == pytest.approx(best, abs=1e-4)


async def test_texts_of_several_requests_are_scored_as_if_alone(engine: TransformerEngine) -> None:
    tokens = [await engine.text_tokens(text) for text in TEXTS]
    together = await asyncio.gather(*(engine.score([text], 1) for text in tokens))
    for text, found in zip(tokens, together, strict=True):
        again = (await engine.score([text], 1))[0]
        assert [one.token for one in found[0].probabilities] == [one.token for one in again.probabilities]
        assert [one.logprob for one in found[0].probabilities[1:]] == pytest.approx(
            [one.logprob for one in again.probabilities[1:]], abs=1e-4
        )


def test_batches_hold_like_lengths_and_no_more_tokens_than_allowed() -> None:
    texts = [Text([0] * length, 0, lambda _: None) for length in (3, 90, 10, 9, 40, 41, 2, 200)]
    batches = []
    while texts:
        batches.append([len(text.tokens) for text in take_batch(texts, 90)])
    assert batches == [[200], [90], [41, 40], [10, 9, 3, 2]]
