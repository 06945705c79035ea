"""How likely given texts are: forward passes over texts of like length, padded on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from gyeol.predictor.domain import Scored, TokenProbability
from gyeol.predictor.engine.token import TokenTexts


def scored(model: Any, texts: TokenTexts, batch: Sequence[Sequence[int]], alternatives: int, pad: int) -> list[Scored]:
    """Scores texts of like length in one pass. A causal model does not look at the padding behind a text."""
    longest = max(len(tokens) for tokens in batch)
    rows = [[*tokens, *[pad] * (longest - len(tokens))] for tokens in batch]
    inputs = torch.tensor(rows, device=model.device)
    mask = torch.tensor([[1] * len(tokens) + [0] * (longest - len(tokens)) for tokens in batch], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=inputs, attention_mask=mask).logits
        found = []
        for place, tokens in enumerate(batch):
            logprobs = torch.log_softmax(logits[place, : len(tokens)].float(), -1)
            given = logprobs[:-1].gather(-1, inputs[place, 1 : len(tokens), None])[:, 0].tolist()
            best = torch.topk(logprobs, max(1, alternatives), -1)
            found.append(_scored(tokens, given, best.indices.tolist(), best.values.tolist(), alternatives, texts))
    return found


def by_length(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Places of texts, grouped so that a padded batch has at most `most_tokens` tokens; longest first."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > most_tokens:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _scored(
    tokens: Sequence[int],
    given: Sequence[float],
    best: Sequence[Sequence[int]],
    values: Sequence[Sequence[float]],
    alternatives: int,
    texts: TokenTexts,
) -> Scored:
    """The first token has no probability: nothing precedes it. After the last comes the one most likely to follow."""
    following = [*tokens, best[-1][0]]
    logprobs: list[float | None] = [None, *given, values[-1][0]]
    probabilities = []
    for place, (token, logprob) in enumerate(zip(following, logprobs, strict=True)):
        others = zip(best[place - 1], values[place - 1], strict=True) if place and alternatives else ()
        probabilities.append(
            TokenProbability(texts.of(token), logprob, {texts.of(other): value for other, value in others})
        )
    return Scored(tuple(probabilities))
