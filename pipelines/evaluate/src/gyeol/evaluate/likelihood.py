"""Multiple choice by log-likelihood with a model loaded from a folder: no reply has to be read.

Prompts and continuations are tokenised as lm-evaluation-harness does it, so that the same prompt form gives the same number:
trailing blanks of the prompt go to the continuation, no special tokens are added, and too long prompts lose their beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.evaluate.error import ModelError
from gyeol.evaluate.item import Item
from gyeol.evaluate.scorer.option import LETTERS
from gyeol.evaluate.suite import Likelihood

BATCH_TOKENS = 4096
"""Tokens of a batch, padding counted: an equal load whatever the length."""


@dataclass(frozen=True)
class _Request:
    item: int
    option: int
    tokens: list[int]
    context: int
    """Tokens of the prompt among `tokens`."""
    characters: int


class LocalModel:
    """A causal language model of transformers, in float32, on the accelerator when there is one."""

    def __init__(self, folder: Path) -> None:
        """Loads the model.

        Raises:
          ModelError: The folder holds none.
        """
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        try:
            self._words: Any = AutoTokenizer.from_pretrained(folder)
            device = "cuda" if torch.cuda.is_available() else "cpu"
            model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        except (OSError, ValueError) as error:
            raise ModelError(
                f"{folder} holds no usable model: {error}; make it with python -m gyeol.weights"
            ) from error
        self._model = model.to(device).eval()
        self._longest = int(getattr(self._model.config, "max_position_embeddings", 2048))

    def options(self, items: Sequence[Item], how: Likelihood) -> Iterator[tuple[Item, int]]:
        """Items with the index of the option whose continuation is most likely; the first one on a tie."""
        requests = sorted(
            (one for number, item in enumerate(items) for one in self._requests(number, item, how)),
            key=lambda one: -len(one.tokens),
        )
        scores: dict[int, dict[int, float]] = {}
        for batch in _batches(requests):
            for request, likelihood in zip(batch, self._likelihoods(batch), strict=True):
                value = likelihood / request.characters if how.normalise == "characters" else likelihood
                found = scores.setdefault(request.item, {})
                found[request.option] = value
                if len(found) == len(items[request.item].expected["choices"]):
                    best = max(sorted(found), key=lambda option: scores[request.item][option])
                    yield items[request.item], best

    def _requests(self, number: int, item: Item, how: Likelihood) -> Iterator[_Request]:
        prompt = item.messages[-1].content
        for option, choice in enumerate(item.expected["choices"]):
            continuation = " " + (LETTERS[option] if how.continuations == "marks" else choice)
            context, whole = self._encoded(prompt, continuation)
            yield _Request(number, option, whole, context, len(continuation) - 1)

    def _encoded(self, prompt: str, continuation: str) -> tuple[int, list[int]]:
        stripped = prompt.rstrip()
        continuation = prompt[len(stripped) :] + continuation
        whole = self._words.encode(stripped + continuation, add_special_tokens=False)
        context = len(self._words.encode(stripped, add_special_tokens=False))
        kept = whole[-(self._longest + 1) :]
        return max(1, context - (len(whole) - len(kept))), kept

    def _likelihoods(self, batch: Sequence[_Request]) -> list[float]:
        import torch

        width = max(len(one.tokens) for one in batch) - 1
        device = self._model.device
        tokens = torch.zeros((len(batch), width), dtype=torch.long, device=device)
        mask = torch.zeros_like(tokens)
        for row, one in enumerate(batch):
            tokens[row, : len(one.tokens) - 1] = torch.tensor(one.tokens[:-1])
            mask[row, : len(one.tokens) - 1] = 1
        with torch.inference_mode():
            logits = self._model(input_ids=tokens, attention_mask=mask).logits.float()
            found = []
            for row, one in enumerate(batch):
                rows = torch.log_softmax(logits[row, one.context - 1 : len(one.tokens) - 1], dim=-1)
                wanted = torch.tensor(one.tokens[one.context :], device=device)
                found.append(float(rows.gather(1, wanted[:, None]).sum()))
        return found


def _batches(requests: Sequence[_Request]) -> Iterator[list[_Request]]:
    """Requests from the longest on, so that a batch that fits shows at once that all will."""
    batch: list[_Request] = []
    for request in requests:
        if batch and (len(batch) + 1) * len(batch[0].tokens) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(request)
    if batch:
        yield batch
