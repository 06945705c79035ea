"""Draws the next token of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import TemperatureLogitsWarper, TopPLogitsWarper

from gyeol.predictor.domain import Sampling, TokenProbability
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.vocabulary import Vocabulary


class Sampler:
    """The chance of one row: its own random numbers, so that what else is in the batch does not matter."""

    def __init__(self, sampling: Sampling) -> None:
        self._random = torch.Generator().manual_seed(sampling.seed)
        self._warpers: list[Any] = [TemperatureLogitsWarper(sampling.temperature)]
        if sampling.top_p < 1:
            self._warpers.append(TopPLogitsWarper(sampling.top_p))

    def __call__(self, logits: torch.Tensor) -> int:
        """Draws from logits `[vocabulary]`."""
        scores = logits[None].float().cpu()
        for warper in self._warpers:
            scores = warper(None, scores)
        return int(torch.multinomial(torch.softmax(scores, -1), 1, generator=self._random))


def sampler(sampling: Sampling) -> Sampler | None:
    """None where nothing is left to chance."""
    return Sampler(sampling) if sampling.temperature > 0 else None


def drawn(
    logits: torch.Tensor, rows: Sequence[Row], vocabulary: Vocabulary
) -> list[tuple[int, TokenProbability | None]]:
    """A token for each row, with its probability where that is wanted.

    Args:
      logits: `[rows, vocabulary]`.
      rows: How each wants to be continued.
      vocabulary: Texts of tokens.
    """
    tokens: list[int] = logits.argmax(-1).tolist()
    found = []
    for place, row in enumerate(rows):
        if row.sampler is not None:
            tokens[place] = row.sampler(logits[place])
        wanted = row.sampling.alternatives
        found.append(
            (tokens[place], None if wanted is None else _known(logits[place], tokens[place], wanted, vocabulary))
        )
    return found


def _known(logits: torch.Tensor, token: int, wanted: int, vocabulary: Vocabulary) -> TokenProbability:
    logprobs = torch.log_softmax(logits.float(), -1)
    best = torch.topk(logprobs, min(wanted, vocabulary.size))
    alternatives = zip(map(vocabulary.token_text, best.indices.tolist()), best.values.tolist(), strict=True)
    return TokenProbability(vocabulary.token_text(token), float(logprobs[token]), dict(alternatives))
