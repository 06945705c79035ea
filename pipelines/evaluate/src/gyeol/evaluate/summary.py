"""What an evaluation came to, metric by metric, with intervals; for people and for the manifest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean

from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Journal
from gyeol.evaluate.outcome import Scored, Unscored
from gyeol.evaluate.suite import Suite


@dataclass(frozen=True)
class Summary:
    suite: str
    metric: str
    items: int
    scored: int
    mean: float | None
    """None when nothing was scored."""
    low: float | None
    """Lower limit of the 95 % Wilson interval; None for a metric that is not a proportion."""
    high: float | None
    unscored: dict[str, int]
    derived: bool = False
    """A figure that is no mean over items; the gate, which pairs items, does not use it."""


def summaries(suite: Suite, items: Iterable[Item], journal: Journal) -> list[Summary]:
    entries = [journal.entries[suite.name, item.id] for item in items]
    found = []
    for metric in suite.metrics:
        outcomes = [entry.outcomes[metric.name] for entry in entries]
        values = [outcome.value for outcome in outcomes if isinstance(outcome, Scored)]
        reasons = [outcome.reason for outcome in outcomes if isinstance(outcome, Unscored)]
        low, high = wilson(values) if set(values) <= {0.0, 1.0} else (None, None)
        found.append(
            Summary(
                suite.name,
                metric.name,
                len(outcomes),
                len(values),
                fmean(values) if values else None,
                low,
                high,
                {reason: reasons.count(reason) for reason in sorted(set(reasons))},
            )
        )
    return found


def wilson(values: list[float]) -> tuple[float | None, float | None]:
    """95 % Wilson score interval of binary values; (None, None) when there are none."""
    n = len(values)
    if n == 0:
        return None, None
    z = NormalDist().inv_cdf(0.975)
    share = fmean(values)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return centre - half, centre + half
