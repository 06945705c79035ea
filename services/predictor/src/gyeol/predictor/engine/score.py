"""How likely given texts are: forward passes over texts of like length, padded on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from gyeol.predictor.domain import Scored, TokenProbability
from gyeol.predictor.engine.vocabulary import Vocabulary


@dataclass(eq=False)
class Text:
    """A text to be scored."""

    tokens: Sequence[int]
    alternatives: int
    """How many of the likeliest tokens are reported per position."""
    sink: Callable[[Scored | Exception], None]
    """Who is told; called on the engine's thread."""
    cancelled: bool = field(default=False)
    """Set by whoever does not want the result."""


def take_batch(texts: list[Text], most_tokens: int) -> list[Text]:
    """Takes texts of like length off a list, longest first, so that they have at most `most_tokens` tokens when padded."""
    texts.sort(key=lambda text: len(text.tokens))
    batch = [texts.pop()]
    while texts and (len(batch) + 1) * len(batch[0].tokens) <= most_tokens:
        batch.append(texts.pop())
    return batch


def score(model: Any, vocabulary: Vocabulary, batch: Sequence[Text], filler: int) -> None:
    """Scores texts in one pass. A causal model does not look at the padding behind a text."""
    longest = max(len(text.tokens) for text in batch)
    inputs = torch.tensor(
        [[*text.tokens, *[filler] * (longest - len(text.tokens))] for text in batch], device=model.device
    )
    mask = torch.tensor(
        [[1] * len(text.tokens) + [0] * (longest - len(text.tokens)) for text in batch], device=model.device
    )
    with torch.inference_mode():
        logits = model(input_ids=inputs, attention_mask=mask, use_cache=False).logits
    for place, text in enumerate(batch):
        logprobs = torch.log_softmax(logits[place, : len(text.tokens)].float(), -1)
        text.sink(_scored(logprobs, text, vocabulary))


def _scored(logprobs: torch.Tensor, text: Text, vocabulary: Vocabulary) -> Scored:
    """The first token has no probability: nothing precedes it. After the last comes the one most likely to follow.

    Args:
      logprobs: `[tokens, vocabulary]`; those of a place are about the token after it.
      text: The text.
      vocabulary: Texts of tokens.
    """
    best = torch.topk(logprobs, max(1, text.alternatives), -1)
    likeliest = [
        dict(zip(map(vocabulary.token_text, tokens), values, strict=True))
        for tokens, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    tokens = [*text.tokens, int(best.indices[-1, 0])]
    following = torch.tensor(tokens[1:], device=logprobs.device)
    values = logprobs.gather(-1, following[:, None])[:, 0].tolist()
    found = [TokenProbability(vocabulary.token_text(tokens[0]), None)]
    for token, value, others in zip(tokens[1:], values, likeliest, strict=True):
        found.append(TokenProbability(vocabulary.token_text(token), value, others if text.alternatives else {}))
    return Scored(tuple(found))
