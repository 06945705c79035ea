"""Players whose score is known beforehand: they show that a file is read and scored rightly, and what knowing nothing is worth.

Their replies are read and graded like a model's.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from gyeol.evaluate.answer import Answer
from gyeol.evaluate.derived import Measured, figure_value
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Scored
from gyeol.evaluate.scorer.emotion import emotion_outcomes
from gyeol.evaluate.scorer.option import GRADES, LETTERS, option_outcomes
from gyeol.evaluate.suite import Suite

Player = Callable[[Item], str]
"""Gives a reply to an item."""


@dataclass(frozen=True)
class Played:
    player: str
    metric: str
    score: float
    derived: bool
    """A derived figure of the suite."""
    expected: float | None
    """What arithmetic says about the items; None: nothing simple."""


def players(suite: Suite) -> Mapping[str, Player]:
    """The players that can play a suite: none where judges or programs decide."""
    if suite.scorer in GRADES:
        dice = random.Random(20260606)  # noqa: S311 - a player, not a secret
        return {
            "oracle": lambda item: _letter(item.expected["answer"]),
            "always A": lambda _: _letter(0),
            "longest option": lambda item: _letter(_longest(item)),
            "guess": lambda item: _letter(dice.randrange(len(item.expected["choices"]))),
        }
    if suite.scorer == "emotion":
        return {"oracle": lambda item: ", ".join(item.expected["emotions"][: item.expected["most"]])}
    return {}


def played(suite: Suite, items: Sequence[Item], player: Player) -> Measured:
    """Every item with the outcomes of a player's reply."""
    metrics = [metric.name for metric in suite.metrics]
    replies = ((item, Answer((player(item),), "stop")) for item in items)
    if suite.scorer == "emotion":
        return [(item, emotion_outcomes(item, reply, metrics)) for item, reply in replies]
    return [(item, option_outcomes(suite.scorer, item, reply, metrics)) for item, reply in replies]


def plays(suite: Suite, items: Sequence[Item]) -> list[Played]:
    """Scores of every player, metric by metric, beside what arithmetic expects; unscored metrics are left out."""
    found = []
    for name, player in players(suite).items():
        measured = played(suite, items, player)
        for metric in suite.metrics:
            values = [outcomes[metric.name] for _, outcomes in measured]
            scores = [one.value for one in values if isinstance(one, Scored)]
            if scores:
                found.append(Played(name, metric.name, fmean(scores), False, expected(name, metric.name, items)))
        for figure in suite.derived:
            value = figure_value(figure, measured)
            if value is not None:
                found.append(Played(name, figure.name, value, True, None))
    return found


def expected(player: str, metric: str, items: Sequence[Item]) -> float | None:
    """Mean that a player must reach on items with options (`guess`: in expectation)."""
    if player == "oracle":
        return 1.0 if metric in ("correct", "top", "exact", "f1") else None
    if metric not in ("correct", "top"):
        return None
    match player:
        case "always A":
            return fmean(item.expected["answer"] == 0 for item in items)
        case "longest option":
            return fmean(item.expected["answer"] == _longest(item) for item in items)
        case _:
            return fmean(1 / len(item.expected["choices"]) for item in items)


def _letter(option: int) -> str:
    return f"정답은 {LETTERS[option]}입니다."


def _longest(item: Item) -> int:
    lengths = [len(choice) for choice in item.expected["choices"]]
    return lengths.index(max(lengths))
