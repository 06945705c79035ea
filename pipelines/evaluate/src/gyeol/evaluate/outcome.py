"""Outcomes: what became of one item under one metric.

`Scored` holds a finite number, `Unscored` a reason. There is no third state and no default number.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

UnscoredReason = Literal["JudgeFailed", "InfraFailed", "ModelFailed", "Refused", "NotApplicable"]
"""`NotApplicable`: the data does not say what this metric needs, for example a survey share."""


@dataclass(frozen=True)
class Scored:
    value: float

    def __post_init__(self) -> None:
        if not isfinite(self.value):
            raise ValueError(f"a score must be finite, not {self.value}")


@dataclass(frozen=True)
class Unscored:
    reason: UnscoredReason
    detail: str = ""
    """For a person; never text of the item."""


Outcome = Scored | Unscored
