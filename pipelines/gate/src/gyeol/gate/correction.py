"""Corrections: many criteria (Holm 1979) and imperfect judges (Rogan and Gladen 1978)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from gyeol.gate.interval import Interval


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm-adjusted p by criterion name; NaN stays NaN and does not count.

    Written out because the library's version runs a full garbage collection on every call, which the self-test makes thousands of.
    """
    ordered = sorted((p, name) for name, p in p_values.items() if np.isfinite(p))
    adjusted = dict(p_values)
    highest = 0.0
    for rank, (p, name) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - rank) * p))
        adjusted[name] = highest
    return adjusted


@dataclass(frozen=True)
class JudgeError:
    """How often a judge is right, from a labelled sample."""

    true_positive: int
    """Items labelled 1 that the judge scored 1."""
    positive: int
    true_negative: int
    """Items labelled 0 that the judge scored 0."""
    negative: int

    @property
    def sensitivity(self) -> float:
        return self.true_positive / self.positive if self.positive else float("nan")

    @property
    def specificity(self) -> float:
        return self.true_negative / self.negative if self.negative else float("nan")


def rogan_gladen(rate: Interval, judge: JudgeError, confidence: float) -> Interval:
    """Rate corrected for the judge's errors, with the judge's own uncertainty in the interval (delta method).

    Returns NaN when the judge is no better than chance (sensitivity + specificity <= 1): then nothing was measured.
    """
    se, sp = judge.sensitivity, judge.specificity
    youden = se + sp - 1
    if not np.isfinite(youden) or youden <= 0 or rate.n == 0:
        return Interval(float("nan"), float("nan"), float("nan"), rate.n)
    corrected = (rate.estimate + sp - 1) / youden
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate_variance = ((rate.high - rate.low) / (2 * z)) ** 2
    variance = (
        rate_variance
        + corrected**2 * se * (1 - se) / judge.positive
        + (1 - corrected) ** 2 * sp * (1 - sp) / judge.negative
    ) / youden**2
    half = z * float(np.sqrt(variance))
    low, high = (float(np.clip(corrected + side * half, 0, 1)) for side in (-1, 1))
    return Interval(float(np.clip(corrected, 0, 1)), low, high, rate.n)
