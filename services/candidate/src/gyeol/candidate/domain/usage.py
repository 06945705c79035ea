"""What calls to models used, and what they gave."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass
class Spending:
    """Model calls made for one record."""

    payer: str = ""
    """Names the record: an attempt that was cut off bought for the same payer."""
    paid: int = 0
    cached: int = 0


@dataclass(frozen=True)
class Used:
    """What one or several calls used."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: str = "0"
    """Decimal; empty: unknown."""
    cached: bool = False


@dataclass(frozen=True)
class Said:
    """What a model said."""

    text: str
    finish_reason: str
    used: Used


def together(one: Used | None, other: Used) -> Used:
    """Sum of what calls used; a cost is unknown as soon as one is."""
    if one is None:
        return other
    return Used(
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
        f"{Decimal(one.cost) + Decimal(other.cost):f}" if one.cost and other.cost else "",
        one.cached and other.cached,
    )
