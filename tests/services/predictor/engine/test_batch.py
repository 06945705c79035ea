from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gyeol.predictor.domain import Generated, Sampling
from gyeol.predictor.engine.batch import Batch
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.sampler import sampler
from gyeol.predictor.engine.transformer import TransformerEngine
from gyeol.predictor.engine.vocabulary import Vocabulary
from gyeol.predictor.folder import model_folder
from gyeol.predictor.settings import Settings
from support import tiny_model

PROMPTS = ("대한민국의 수도는", "안녕", "정답은 ③번입니다. 주민등록번호는 알려 드릴", "T")


class Stand:
    """A batch with rows that remember what they were told."""

    def __init__(self, model: Any) -> None:
        words = tiny_model.tokenizer()
        self.vocabulary = Vocabulary(words.backend_tokenizer, frozenset({words.eos_token_id}), len(words))
        self.batch = Batch(model, self.vocabulary, 0)
        self.results: dict[str, Generated] = {}

    def row(self, prompt: str, sampling: Sampling) -> Row:
        def told(said: Any) -> None:
            if isinstance(said, Generated):
                self.results[prompt] = said

        tokens = self.vocabulary.tokens(prompt, special=False)
        return Row(tokens, sampling, sampler(sampling), self.vocabulary, told)

    def run(self, rows: Sequence[Row]) -> dict[str, Generated]:
        self.batch.join(rows)
        self.finish()
        return self.results

    def finish(self) -> None:
        while self.batch:
            self.batch.step()


@pytest.fixture(scope="module")
def model() -> Any:
    return tiny_model.llama(len(tiny_model.tokenizer()))


def alone(model: Any, prompt: str, sampling: Sampling) -> Generated:
    stand = Stand(model)
    return stand.run([stand.row(prompt, sampling)])[prompt]


def generated(model: Any, prompt: str, tokens: int) -> str:
    """What transformers' own generate says."""
    import torch

    words = tiny_model.tokenizer()
    given = words(prompt, return_tensors="pt", add_special_tokens=False)
    with torch.inference_mode():
        made = model.generate(
            given["input_ids"], attention_mask=given["attention_mask"], do_sample=False, max_new_tokens=tokens
        )
    return str(words.decode(made[0, given["input_ids"].shape[1] :], skip_special_tokens=True))


def test_greedy_rows_say_together_what_generate_says_alone(model: Any) -> None:
    stand = Stand(model)
    found = stand.run([stand.row(prompt, Sampling(20, temperature=0)) for prompt in PROMPTS])
    assert {prompt: one.text for prompt, one in found.items()} == {
        prompt: generated(model, prompt, 20) for prompt in PROMPTS
    }


def test_rows_join_between_two_steps_and_short_ones_do_not_wait_for_long_ones(model: Any) -> None:
    stand = Stand(model)
    lengths = dict(zip(PROMPTS, (24, 3, 11, 17), strict=True))
    left_at = {}
    waiting = list(PROMPTS)
    steps = 0
    while waiting or stand.batch:
        if waiting and steps % 4 == 0:
            prompt = waiting.pop()
            stand.batch.join([stand.row(prompt, Sampling(lengths[prompt], temperature=0))])
        if stand.batch:
            stand.batch.step()
        steps += 1
        left_at.update({prompt: steps for prompt in stand.results if prompt not in left_at})
    assert {prompt: one.text for prompt, one in stand.results.items()} == {
        prompt: generated(model, prompt, lengths[prompt]) for prompt in PROMPTS
    }
    assert min(left_at, key=lambda prompt: left_at[prompt]) == PROMPTS[1] or left_at[PROMPTS[1]] < left_at[PROMPTS[0]]


def test_a_seed_gives_the_same_text_in_any_company(model: Any) -> None:
    drawn = Sampling(16, temperature=0.9, top_p=0.8, seed=7)
    stand = Stand(model)
    company = [stand.row(prompt, Sampling(16, seed=place)) for place, prompt in enumerate(PROMPTS[1:])]
    together = stand.run([*company, stand.row(PROMPTS[0], drawn)])[PROMPTS[0]]
    assert together == alone(model, PROMPTS[0], drawn)
    assert together.text != alone(model, PROMPTS[0], Sampling(16, temperature=0.9, top_p=0.8, seed=8)).text


def test_draws_have_the_probabilities_that_were_asked_for(model: Any) -> None:
    """The first token of 3,000 draws against softmax(logits / temperature), cut to the nucleus."""
    import torch

    prompt, sampling = PROMPTS[0], Sampling(1, temperature=2.0, top_p=0.7)
    tokens = Stand(model).vocabulary.tokens(prompt, special=False)
    with torch.inference_mode():
        logits = model(torch.tensor([tokens])).logits[0, -1]
    expected = torch.softmax(logits / 2.0, -1)
    ordered, order = expected.sort(descending=True)
    ordered[ordered.cumsum(-1) - ordered > 0.7] = 0
    expected = torch.zeros_like(expected).scatter(0, order, ordered / ordered.sum())
    draw = sampler(Sampling(1, temperature=2.0, top_p=0.7, seed=1))
    assert draw is not None
    counts = torch.bincount(torch.tensor([draw(logits) for _ in range(3000)]), minlength=len(logits)) / 3000
    assert float((counts - expected).abs().sum()) / 2 < 0.1
    assert float(counts[expected == 0].sum()) == 0
    assert sampling.temperature == 2.0


def test_a_cancelled_row_leaves_and_the_others_go_on(model: Any) -> None:
    stand = Stand(model)
    rows = [stand.row(prompt, Sampling(20, temperature=0)) for prompt in PROMPTS[:2]]
    stand.batch.join(rows)
    rows[0].cancelled = True
    stand.batch.step()
    assert stand.batch.rows == [rows[1]]
    stand.finish()
    assert stand.results[PROMPTS[1]].text == generated(model, PROMPTS[1], 20)
    assert PROMPTS[0] not in stand.results


def test_probabilities_are_those_of_a_forward_pass(model: Any) -> None:
    import torch

    stand = Stand(model)
    found = stand.run([stand.row(prompt, Sampling(6, temperature=0, alternatives=3)) for prompt in PROMPTS])
    words = tiny_model.tokenizer()
    for prompt, one in found.items():
        tokens = words(prompt, add_special_tokens=False)["input_ids"]
        for probability in one.probabilities:
            with torch.inference_mode():
                logprobs = torch.log_softmax(model(torch.tensor([tokens])).logits[0, -1], -1)
            best = logprobs.topk(3)
            assert probability.logprob == pytest.approx(float(best.values[0]), abs=1e-4)
            assert list(probability.alternatives.values()) == pytest.approx(best.values.tolist(), abs=1e-4)
            tokens.append(int(best.indices[0]))


def test_a_model_that_sees_a_window_only_says_the_same_in_company() -> None:
    from transformers import MistralConfig, MistralForCausalLM

    words = tiny_model.tokenizer()
    config = MistralConfig(
        vocab_size=len(words),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        sliding_window=8,
        initializer_range=0.3,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    windowed = MistralForCausalLM(config).eval()
    stand = Stand(windowed)
    rows = [
        stand.row(prompt, Sampling(length, temperature=0))
        for prompt, length in zip(PROMPTS, (20, 3, 9, 14), strict=True)
    ]
    stand.batch.join(rows)
    assert not stand.batch.open
    stand.finish()
    assert {prompt: one.text for prompt, one in stand.results.items()} == {
        prompt: generated(windowed, prompt, length) for prompt, length in zip(PROMPTS, (20, 3, 9, 14), strict=True)
    }


async def test_more_requests_than_places_are_all_answered(folder: Path) -> None:
    engine = TransformerEngine(model_folder(folder), Settings(batch_rows=3))
    tokens = [await engine.text_tokens(prompt) for prompt in PROMPTS * 3]

    async def whole(prompt: Sequence[int]) -> str:
        async for said in engine.generate(prompt, Sampling(10, temperature=0)):
            if isinstance(said, Generated):
                return said.text
        raise AssertionError("no answer")

    try:
        together = await asyncio.gather(*(whole(prompt) for prompt in tokens))
        assert together == [await whole(prompt) for prompt in tokens]
    finally:
        await engine.close()


def test_when_the_longest_row_leaves_its_columns_go_too(model: Any) -> None:
    stand = Stand(model)
    long, short = (stand.row(prompt, Sampling(20, temperature=0)) for prompt in (PROMPTS[2], PROMPTS[3]))
    stand.batch.join([long, short])
    stand.batch.step()
    long.cancelled = True
    stand.batch.step()
    assert stand.batch._mask.shape == (1, len(short.prompt) + 2)
    stand.finish()
    assert stand.results[PROMPTS[3]].text == generated(model, PROMPTS[3], 20)
