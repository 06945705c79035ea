"""What the doors need of an engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from gyeol.predictor.domain import Generated, Message, Piece, Sampling, Scored


class Engine(Protocol):
    """A loaded model."""

    context: int
    """Tokens that a prompt and its continuation may have together."""
    vocabulary: int
    """Tokens are numbers from 0 up to it."""

    async def chat_tokens(self, messages: Sequence[Message]) -> list[int]:
        """Tokens of a conversation in the model's own form."""

    async def text_tokens(self, text: str) -> list[int]:
        """Tokens of a plain text."""

    async def text_of(self, tokens: Sequence[int]) -> str:
        """The text of tokens."""

    def generate(self, tokens: Sequence[int], sampling: Sampling) -> AsyncGenerator[Piece | Generated, None]:
        """Continues tokens: pieces as they come when they are wanted, and the whole at the end."""

    async def score(self, texts: Sequence[Sequence[int]], alternatives: int, /) -> list[Scored]:
        """How likely texts are, token by token; the last entry of each is the token most likely to follow.

        Raises:
          RequestError: This engine cannot tell.
        """

    async def close(self) -> None:
        """Ends after the work in hand."""
