"""A measurement that may not have been possible."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final


class Reason(enum.Enum):
    """Why something has no score."""

    NOT_ASKED = "NOT_ASKED"
    JUDGE_FAILED = "JUDGE_FAILED"
    REFUSED = "REFUSED"


@dataclass(frozen=True)
class Unscored:
    """A measurement that could not be made: never a zero, never a pass."""

    reason: Reason
    detail: str
    """For a person; never holds text of the seed."""


NO_JUDGE: Final = Unscored(Reason.NOT_ASKED, "no model of the run has the role plausibility")
BY_HAND: Final = Unscored(Reason.NOT_ASKED, "a question written by hand is taken as it is")
