"""One sequence while it is being generated: what it says so far, and whether it is at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gyeol.predictor.domain import Finish, Generated, Piece, Sampling, TokenProbability

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Sink = Callable[[Piece | Generated | Exception], None]
"""Takes what a row has to say; called on the engine's thread."""


class Row:
    """Grows token by token.

    Args:
      prompt: Tokens that are continued.
      sampling: How.
      sink: Who is told.
    """

    def __init__(self, prompt: Sequence[int], sampling: Sampling, sink: Sink) -> None:
        self.prompt = list(prompt)
        self.sampling = sampling
        self.sink = sink
        self.finish: Finish | None = None
        self.cancelled = False
        """Set by whoever does not want the rest."""
        self._tokens: list[int] = []
        self._probabilities: list[TokenProbability] = []
        self._untold: list[TokenProbability] = []
        self._text = ""
        self._cut = False
        self._told = 0
        self._stream: Any = None

    @property
    def over(self) -> bool:
        return self.finish is not None or self.cancelled

    def take(
        self, token: int, ends: frozenset[int], tokenizer: Tokenizer, probability: TokenProbability | None
    ) -> None:
        """Takes the next token."""
        self._tokens.append(token)
        if token in ends:
            self.finish = Finish.STOP
        elif len(self._tokens) >= self.sampling.max_tokens:
            self.finish = Finish.LENGTH
        if probability is not None and token not in ends:
            self._probabilities.append(probability)
            self._untold.append(probability)
        if self.sampling.streamed or self.sampling.stop:
            self._read(token, tokenizer)

    def result(self, tokenizer: Tokenizer) -> Generated:
        """The whole, once the row is over."""
        text = self._text if self._cut else tokenizer.decode(self._tokens, skip_special_tokens=True)
        rest = text[self._told :]
        if self.sampling.streamed and (rest or self._untold):
            self.sink(Piece(rest, tuple(self._untold)))
        return Generated(text, len(self._tokens), self.finish or Finish.LENGTH, tuple(self._probabilities))

    def _read(self, token: int, tokenizer: Tokenizer) -> None:
        if self._stream is None:
            from tokenizers.decoders import DecodeStream

            self._stream = DecodeStream(skip_special_tokens=True)
        self._text += self._stream.step(tokenizer, token) or ""
        for stop in self.sampling.stop:
            if (place := self._text.find(stop, max(0, self._told - len(stop)))) >= 0:
                self._text, self._cut, self.finish = self._text[:place], True, Finish.STOP
        if self.sampling.streamed and self.finish is None:
            self._tell(len(self._text) - _held_back(self._text, self.sampling.stop))

    def _tell(self, until: int) -> None:
        if until > self._told:
            self.sink(Piece(self._text[self._told : until], tuple(self._untold)))
            self._told = until
            self._untold = []


def _held_back(text: str, stops: Sequence[str]) -> int:
    """Length of the longest end of the text that could become a stop string."""
    for length in range(min(len(text), max((len(stop) for stop in stops), default=1) - 1), 0, -1):
        if any(stop.startswith(text[-length:]) for stop in stops):
            return length
    return 0
