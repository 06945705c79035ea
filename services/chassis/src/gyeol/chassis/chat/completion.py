"""What goes to a model and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol


class Said(Protocol):
    """Anything with a role and a content: a `Message`, or the ChatMessage of the protos."""

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


@dataclass(frozen=True)
class Message:
    role: str
    """`system`, `user` or `assistant`."""
    content: str


@dataclass(frozen=True)
class Usage:
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None
    """Money the call cost when it was paid; None when the endpoint's price is unknown."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Completion:
    text: str
    """What the model said; may be empty."""
    finish_reason: str
    """As the endpoint gave it: `stop`, `length`, `content_filter`, ..."""
    usage: Usage
    cached: bool
    """True when the answer came from the store, bought for something else."""
