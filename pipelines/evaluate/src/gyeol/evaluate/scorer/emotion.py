"""Emotions named in a reply, out of a closed list; what names none, or more than was asked for, is unscored."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)


def named_emotions(reply: str, labels: Sequence[str]) -> list[str]:
    """Distinct labels in the order in which they are named, whole words only."""
    pattern = re.compile(rf"(?<![a-z])({'|'.join(map(re.escape, labels))})(?![a-z])")
    return list(dict.fromkeys(pattern.findall(_THINKING.sub("", reply).casefold())))


def emotion_outcomes(item: Item, answer: Answer, metrics: Sequence[str]) -> dict[str, Outcome]:
    """`correct`: the one emotion named is one of the item's; `exact` and `f1`: the set named against the item's set."""
    gold, most = set(item.expected["emotions"]), int(item.expected["most"])
    if not gold:
        return dict.fromkeys(metrics, Unscored("NotApplicable", "the row names no emotion"))
    named = set(named_emotions(answer.text, item.expected["labels"]))
    if not 0 < len(named) <= most:
        return dict.fromkeys(
            metrics, Unscored("ModelFailed", f"the reply names {len(named)} emotions, expected 1 to {most}")
        )
    shared = len(named & gold)
    values = {
        "correct": float(shared > 0),
        "exact": float(named == gold),
        "f1": 2 * shared / (len(named) + len(gold)),
    }
    return {metric: Scored(values[metric]) for metric in metrics}
