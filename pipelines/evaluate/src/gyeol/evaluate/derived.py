"""Derived figures: macro averages, differences and ratios, from the outcomes of one suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Journal
from gyeol.evaluate.outcome import Outcome, Scored, Unscored
from gyeol.evaluate.suite import Derived, Suite
from gyeol.evaluate.summary import Summary

Measured = Sequence[tuple[Item, Mapping[str, Outcome]]]


def derived_summaries(suite: Suite, items: Iterable[Item], journal: Journal) -> list[Summary]:
    """The suite's derived figures; `mean` is None where a part of a figure was not measured at all."""
    measured = [(item, journal.entries[suite.name, item.id].outcomes) for item in items]
    found = []
    for figure in suite.derived:
        chosen = [
            (item, outcomes)
            for item, outcomes in measured
            if _fits(item, figure.where) or _fits(item, figure.minus, False)
        ]
        outcomes = [one[figure.metric] for _, one in chosen]
        reasons = [one.reason for one in outcomes if isinstance(one, Unscored)]
        found.append(
            Summary(
                suite.name,
                figure.name,
                len(outcomes),
                len(outcomes) - len(reasons),
                figure_value(figure, measured),
                None,
                None,
                {reason: reasons.count(reason) for reason in sorted(set(reasons))},
                derived=True,
            )
        )
    return found


def figure_value(figure: Derived, measured: Measured) -> float | None:
    """The figure; None when it cannot be taken."""
    if not figure.average_over:
        return _value(figure, measured)
    parts = sorted({item.groups.get(figure.average_over, "") for item, _ in measured})
    values = [
        _value(figure, [one for one in measured if one[0].groups.get(figure.average_over, "") == part])
        for part in parts
    ]
    return _fmean(values)


def _value(figure: Derived, measured: Measured) -> float | None:
    chosen = [one for one in measured if _fits(one[0], figure.where)]
    match figure.kind:
        case "mean":
            return _mean(chosen, figure.metric)
        case "difference":
            less = [one for one in measured if _fits(one[0], figure.minus)]
            first, second = _mean(chosen, figure.metric), _mean(less, figure.metric)
            return None if first is None or second is None else first - second
        case "macro":
            names = sorted({item.groups[figure.over] for item, _ in chosen if figure.over in item.groups})
            return _fmean(
                [_mean([one for one in chosen if one[0].groups[figure.over] == name], figure.metric) for name in names]
            )
        case "ratio":
            total = sum(_values(chosen, figure.of))
            return sum(_values(chosen, figure.metric)) / total if total else None
        case "unanswered":
            # Infrastructure that failed says nothing about the model.
            asked = [one[figure.metric] for _, one in chosen]
            asked = [one for one in asked if not (isinstance(one, Unscored) and one.reason == "InfraFailed")]
            return sum(isinstance(one, Unscored) for one in asked) / len(asked) if asked else None


def _fits(item: Item, wanted: Mapping[str, str], empty: bool = True) -> bool:
    return all(item.groups.get(name) == value for name, value in wanted.items()) if wanted else empty


def _values(measured: Measured, metric: str) -> list[float]:
    outcomes = (outcomes[metric] for _, outcomes in measured)
    return [outcome.value for outcome in outcomes if isinstance(outcome, Scored)]


def _mean(measured: Measured, metric: str) -> float | None:
    values = _values(measured, metric)
    return fmean(values) if values else None


def _fmean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
