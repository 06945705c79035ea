"""Values of serving: how a text is to be continued, what came out, and how likely a given text is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Finish(StrEnum):
    """Why a text ended."""

    STOP = "stop"
    """The model ended it, or a stop string came."""
    LENGTH = "length"
    """It may not be longer."""


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


@dataclass(frozen=True)
class Prompt:
    """Tokens that are to be continued or scored."""

    tokens: tuple[int, ...]
    text: str = ""
    """Its text, where the caller gave one."""


@dataclass(frozen=True)
class Sampling:
    """How a text is continued."""

    max_tokens: int
    """Most tokens of the continuation."""
    temperature: float = 1.0
    """0 takes the likeliest token each time."""
    top_p: float = 1.0
    """Share of probability that may be drawn from."""
    seed: int = 0
    """Start of the random numbers; equal seeds give equal texts."""
    stop: tuple[str, ...] = ()
    """Strings that end the text; they are not part of it."""
    alternatives: int | None = None
    """How many of the likeliest tokens are reported per position; None: no probabilities at all."""
    streamed: bool = False
    """Pieces are wanted as they come."""


@dataclass(frozen=True)
class TokenProbability:
    """One token and what else could have stood there."""

    token: str
    """Its text; bytes that are no text alone are written `bytes:\\xeb\\xb0`."""
    logprob: float | None
    """Natural logarithm of its probability; None for the first token of a text, which nothing precedes."""
    alternatives: dict[str, float] = field(default_factory=dict)
    """The likeliest tokens there, with their own."""


@dataclass(frozen=True)
class Piece:
    """A part of a text as it comes."""

    text: str
    probabilities: tuple[TokenProbability, ...] = ()


@dataclass(frozen=True)
class Generated:
    """A continuation."""

    text: str
    tokens: int
    """Tokens the model made, the one that ended the text included."""
    finish: Finish
    probabilities: tuple[TokenProbability, ...] = ()


@dataclass(frozen=True)
class Scored:
    """How likely a given text is."""

    probabilities: tuple[TokenProbability, ...]
    """Of each token; at the end the one most likely to follow."""
