"""What one criterion came to, with the numbers it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gyeol.gate import rule
from gyeol.gate.correction import JudgeError
from gyeol.gate.interval import Interval
from gyeol.gate.policy import Spec
from gyeol.gate.sentence import Reason

Result = Literal["Pass", "Fail", "Inconclusive"]


@dataclass(frozen=True)
class StratumFinding:
    """Numbers of one stratum; `stratum` is empty for the suite as a whole."""

    stratum: str
    baseline: Interval
    candidate: Interval
    change: Interval
    """Candidate minus baseline."""


@dataclass(frozen=True)
class Finding:
    """What one criterion came to."""

    criterion: rule.Criterion
    result: Result
    reason: Reason
    overall: StratumFinding | None = None
    strata: tuple[StratumFinding, ...] = ()
    """Worst stratum first."""
    p: float | None = None
    adjusted_p: float | None = None
    mcnemar_p: float | None = None
    """Two-sided exact McNemar p of a binary metric, clusters ignored: for comparison with other reports."""
    effective_items: float | None = None
    power: float | None = None
    """Probability with which the smallest effect of interest is seen, under the policy's discordance."""
    minimal_detectable_effect: float | None = None


@dataclass(frozen=True)
class Context:
    """What every criterion needs besides its series."""

    spec: Spec
    seed: int
    calibration: Mapping[tuple[str, str], JudgeError]
    judged: frozenset[tuple[str, str]]
    """Metrics that a judge measured, so that its errors matter."""
    strata: bool = True
    """Whether findings show their strata even where the criterion is about the suite as a whole."""
    known: dict[tuple[str, str, str], tuple[StratumFinding, ...]] = field(default_factory=dict)
    """Numbers already worked out, by suite, metric and part: several criteria look at the same metric."""

    @property
    def confidence(self) -> float:
        return 1 - float(self.spec.alpha)
