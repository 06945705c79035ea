"""One sequence while it is being generated: what it says so far, and whether it is at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gyeol.predictor.domain import Finish, Generated, Piece, Sampling, TokenProbability
from gyeol.predictor.engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    from gyeol.predictor.engine.sampler import Sampler

Sink = Callable[[Piece | Generated | Exception], None]
"""Takes what a row has to say; called on the engine's thread."""


class Row:
    """Grows token by token.

    Args:
      prompt: Tokens that are continued.
      sampling: How.
      sampler: Draws its tokens; None takes the likeliest.
      vocabulary: Reads its tokens.
      sink: Who is told.
    """

    def __init__(
        self, prompt: Sequence[int], sampling: Sampling, sampler: Sampler | None, vocabulary: Vocabulary, sink: Sink
    ) -> None:
        self.prompt = list(prompt)
        self.sampling = sampling
        self.sampler = sampler
        self.sink = sink
        self.cancelled = False
        """Set by whoever does not want the rest."""
        self._vocabulary = vocabulary
        self._read = vocabulary.reader() if sampling.streamed or sampling.stop else None
        self._tokens: list[int] = []
        self._probabilities: list[TokenProbability] = []
        self._text = ""
        self._told = 0
        """Characters that the sink knows."""
        self._told_probabilities = 0

    def take(self, token: int, probability: TokenProbability | None) -> bool:
        """Takes the next token; False when the row is over."""
        if self.cancelled:
            return False
        self._tokens.append(token)
        if token in self._vocabulary.ends:
            return self._finish(Finish.STOP)
        if probability is not None:
            self._probabilities.append(probability)
        if self._read is not None:
            self._text += self._read(token)
            if (cut := self._stop()) is not None:
                return self._finish(Finish.STOP, cut)
        if len(self._tokens) >= self.sampling.max_tokens:
            return self._finish(Finish.LENGTH)
        if self.sampling.streamed:
            self._tell(self._text[: len(self._text) - _held_back(self._text, self.sampling.stop)])
        return True

    def _stop(self) -> int | None:
        """Where the first stop string begins. It may have begun in text that was held back, never in text that was told."""
        found = [place for stop in self.sampling.stop if (place := self._text.find(stop, self._told)) >= 0]
        return min(found, default=None)

    def _finish(self, finish: Finish, cut: int | None = None) -> bool:
        """The whole is read at once, for the end may hold half a character that a reader waits to complete."""
        whole = self._vocabulary.text(self._tokens, special=False) if cut is None else self._text[:cut]
        if self.sampling.streamed:
            self._tell(whole)
        self.sink(Generated(whole, len(self._tokens), finish, tuple(self._probabilities)))
        return False

    def _tell(self, text: str) -> None:
        if len(text) > self._told or (text and self._told_probabilities < len(self._probabilities)):
            self.sink(Piece(text[self._told :], tuple(self._probabilities[self._told_probabilities :])))
            self._told = len(text)
            self._told_probabilities = len(self._probabilities)


def _held_back(text: str, stops: Sequence[str]) -> int:
    """Length of the longest end of the text that could become a stop string."""
    for length in range(min(len(text), max((len(stop) for stop in stops), default=1) - 1), 0, -1):
        if any(stop.startswith(text[-length:]) for stop in stops):
            return length
    return 0
