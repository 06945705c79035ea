"""Rows that grow together over one key-value cache.

Rows join between two steps and leave when they are over, so that a short answer never waits for a long one.
Rows are aligned at their growing end: whoever is shorter is padded on the left, and columns that pad every row are cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.functional import pad
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.sampler import drawn
from gyeol.predictor.engine.vocabulary import Vocabulary


class Batch:
    """The rows in work.

    Args:
      model: A causal language model of transformers.
      vocabulary: Its tokens.
      filler: Token that stands where a row is padded; it is masked.
    """

    def __init__(self, model: Any, vocabulary: Vocabulary, filler: int) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._filler = filler
        self.rows: list[Row] = []
        self._cache: DynamicCache | None = None
        self._mask = self._tensor([])
        """`[rows, columns]`: 1 where a row has a token."""
        self._last = self._tensor([])
        """`[rows, 1]`: the newest token of each row, which the cache does not hold yet."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def open(self) -> bool:
        """Whether rows may join: always, unless some layers see a window only, whose caches cannot be aligned."""
        return self._cache is None or all(type(layer) is DynamicLayer for layer in self._cache.layers)

    def join(self, rows: Sequence[Row]) -> None:
        """Reads the prompts of new rows and gives each its first token."""
        longest = max(len(row.prompt) for row in rows)
        tokens = self._tensor([[self._filler] * (longest - len(row.prompt)) + row.prompt for row in rows])
        mask = self._tensor([[0] * (longest - len(row.prompt)) + [1] * len(row.prompt) for row in rows])
        cache = DynamicCache(config=self._model.config)
        logits = self._forward(tokens, mask, (mask.cumsum(-1) - 1).clamp(min=0), cache)
        self._attach(rows, cache, mask)
        self._give(range(len(self.rows) - len(rows), len(self.rows)), logits)

    def step(self) -> None:
        """Gives every row its next token."""
        self._mask = pad(self._mask, (0, 1), value=1)
        logits = self._forward(self._last, self._mask, self._mask.sum(-1, keepdim=True) - 1, self._cache)
        self._give(range(len(self.rows)), logits)

    def fail(self, error: Exception) -> None:
        """Ends every row with an error."""
        rows = self.rows
        self._clear()
        for row in rows:
            row.sink(error)

    def _clear(self) -> None:
        self.rows, self._cache, self._mask, self._last = [], None, self._tensor([]), self._tensor([])

    def _forward(
        self, tokens: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor, cache: DynamicCache | None
    ) -> torch.Tensor:
        with torch.inference_mode():
            output = self._model(
                input_ids=tokens,
                attention_mask=mask,
                position_ids=positions,
                cache=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            logits: torch.Tensor = output.logits[:, -1]
            return logits

    def _give(self, places: range, logits: torch.Tensor) -> None:
        rows = [self.rows[place] for place in places]
        over = set()
        for place, row, (token, probability) in zip(places, rows, drawn(logits, rows, self._vocabulary), strict=True):
            self._last[place, 0] = token
            if not row.take(token, probability):
                over.add(place)
        if over:
            self._keep([place for place in range(len(self.rows)) if place not in over])

    def _attach(self, rows: Sequence[Row], cache: DynamicCache, mask: torch.Tensor) -> None:
        last = self._tensor([[0]] * len(rows))
        if self._cache is None:
            self.rows, self._cache, self._mask, self._last = list(rows), cache, mask, last
            return
        width = max(self._mask.shape[1], mask.shape[1])
        for layer, other in zip(self._cache.layers, cache.layers, strict=True):
            layer.keys = torch.cat([_widened(layer.keys, width), _widened(other.keys, width)])
            layer.values = torch.cat([_widened(layer.values, width), _widened(other.values, width)])
        self._mask = torch.cat([pad(one, (width - one.shape[1], 0)) for one in (self._mask, mask)])
        self._last = torch.cat([self._last, last])
        self.rows = [*self.rows, *rows]

    def _keep(self, places: list[int]) -> None:
        if not places or self._cache is None:
            self._clear()
            return
        self.rows = [self.rows[place] for place in places]
        chosen = self._tensor(places)
        self._mask, self._last = self._mask[chosen], self._last[chosen]
        self._cache.batch_select_indices(chosen)
        unused = int(self._mask.any(0).int().argmax()) if self.open else 0
        if unused:
            self._mask = self._mask[:, unused:]
            for layer in self._cache.layers:
                layer.keys, layer.values = layer.keys[:, :, unused:], layer.values[:, :, unused:]

    def _tensor(self, values: Any) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.long, device=self._model.device)


def _widened(states: torch.Tensor, width: int) -> torch.Tensor:
    """Pads `[rows, heads, columns, size]` with zeros on the left; the mask hides them."""
    return pad(states, (0, 0, width - states.shape[2], 0))
