"""Several rows continued together by one call of transformers' generate.

Rows of a batch need nothing in common: each is sampled with its own temperature, nucleus and random numbers, ends by its own
rules and is heard while it grows. Only the padding is shared, on the left, so that all rows grow at the same end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import GenerationConfig, LogitsProcessor, StoppingCriteria, TemperatureLogitsWarper, TopPLogitsWarper

from gyeol.predictor.domain import TokenProbability
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.token import TokenTexts


def generate(
    model: Any, tokenizer: Any, texts: TokenTexts, rows: Sequence[Row], ends: frozenset[int], pad: int
) -> None:
    """Continues the rows until each is over; tells each row's sink."""
    longest = max(len(row.prompt) for row in rows)
    tokens = torch.tensor([[pad] * (longest - len(row.prompt)) + row.prompt for row in rows], device=model.device)
    mask = torch.tensor(
        [[0] * (longest - len(row.prompt)) + [1] * len(row.prompt) for row in rows], device=model.device
    )
    choice = _Choice(rows, texts)
    hearing = _Hearing(rows, tokenizer, ends, choice)
    with torch.inference_mode():
        model.generate(
            tokens,
            attention_mask=mask,
            generation_config=GenerationConfig(
                do_sample=False,
                max_new_tokens=max(row.sampling.max_tokens for row in rows),
                eos_token_id=sorted(ends) or None,
                pad_token_id=pad,
            ),
            logits_processor=[choice],
            stopping_criteria=[hearing],
        )
    for row in rows:
        if not row.cancelled:
            row.sink(row.result(tokenizer))


class _Choice(LogitsProcessor):  # type: ignore[misc]
    """Makes the likeliest token the one that sampling would draw.

    Adding Gumbel noise to logits and taking the greatest draws from their softmax; so one batch holds greedy and sampled rows,
    and a row's draws depend on its own seed alone.
    """

    def __init__(self, rows: Sequence[Row], texts: TokenTexts) -> None:
        self._rows = rows
        self._texts = texts
        self._sampled = [(place, _Sampler(row)) for place, row in enumerate(rows) if row.sampling.temperature > 0]
        self._watched = [place for place, row in enumerate(rows) if row.sampling.alternatives is not None]
        self._logprobs: dict[int, torch.Tensor] = {}

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        for place in self._watched:
            self._logprobs[place] = torch.log_softmax(scores[place].float(), -1)
        for place, sampler in self._sampled:
            scores[place] = sampler(input_ids[place : place + 1], scores[place : place + 1])[0]
        return scores

    def probability(self, place: int, token: int) -> TokenProbability | None:
        """What the model thought of the token that was taken."""
        wanted = self._rows[place].sampling.alternatives
        if wanted is None:
            return None
        found = self._logprobs[place]
        best = torch.topk(found, wanted)
        alternatives = {
            self._texts.of(other): value
            for other, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        }
        return TokenProbability(self._texts.of(token), float(found[token]), alternatives)


class _Sampler:
    def __init__(self, row: Row) -> None:
        self._random = torch.Generator().manual_seed(row.sampling.seed)
        self._warpers: list[Any] = [TemperatureLogitsWarper(row.sampling.temperature)]
        if row.sampling.top_p < 1:
            self._warpers.append(TopPLogitsWarper(row.sampling.top_p))

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        for warper in self._warpers:
            scores = warper(input_ids, scores)
        noise = torch.empty(scores.shape).exponential_(generator=self._random).log_().neg_()
        return scores + noise.to(scores.device)


class _Hearing(StoppingCriteria):  # type: ignore[misc]
    """Gives each row its new token and says which rows are over."""

    def __init__(self, rows: Sequence[Row], tokenizer: Any, ends: frozenset[int], choice: _Choice) -> None:
        self._rows = rows
        self._tokenizer = tokenizer
        self._ends = ends
        self._choice = choice

    def __call__(self, input_ids: torch.Tensor, _scores: torch.Tensor, **_: Any) -> torch.Tensor:
        for place, (row, token) in enumerate(zip(self._rows, input_ids[:, -1].tolist(), strict=True)):
            if not row.over:
                row.take(token, self._ends, self._tokenizer, self._choice.probability(place, token))
        return torch.tensor([row.over for row in self._rows], device=input_ids.device)
