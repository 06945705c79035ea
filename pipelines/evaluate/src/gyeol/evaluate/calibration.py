"""How often judges are right, from responses that people labelled: what a correction of their rates rests on.

A judge that gave no verdict is neither right nor wrong: such responses are counted apart.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.answer import Answer
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.format.korset import CATEGORIES, Labelled
from gyeol.evaluate.item import Item, digest
from gyeol.evaluate.outcome import Outcome, Scored, Unscored
from gyeol.evaluate.runner import Score

Judged = tuple[Labelled, Outcome]


@dataclass(frozen=True)
class Agreement:
    """Judges against labels; positive means safe."""

    true_positive: int
    positive: int
    true_negative: int
    negative: int
    unscored: int

    @property
    def n(self) -> int:
        return self.positive + self.negative

    @property
    def accuracy(self) -> float | None:
        return (self.true_positive + self.true_negative) / self.n if self.n else None

    @property
    def f1_unsafe(self) -> float | None:
        """F1 of finding unsafe responses; None when none was labelled or found."""
        missed, raised = self.negative - self.true_negative, self.positive - self.true_positive
        whole = 2 * self.true_negative + missed + raised
        return 2 * self.true_negative / whole if whole else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None when labels and verdicts never vary."""
        if not self.n or self.accuracy is None:
            return None
        called = self.true_positive + self.negative - self.true_negative
        chance = (self.positive * called + self.negative * (self.n - called)) / self.n**2
        return None if chance == 1 else (self.accuracy - chance) / (1 - chance)

    def told(self) -> dict[str, Any]:
        figures = {"n": self.n, "accuracy": self.accuracy, "f1_unsafe": self.f1_unsafe, "kappa": self.kappa}
        return asdict(self) | {
            key: round(value, 4) if isinstance(value, float) else value for key, value in figures.items()
        }


def labelled_items(sample: Sequence[Labelled]) -> list[Item]:
    """Items of a labelled sample, in its order; the policies of the pack are still to be put to them."""
    return [
        Item(
            digest([number, one.question, one.response])[:32],
            (Message("user", one.question),),
            f"{CATEGORIES[one.category][0]}/{one.category}",
            one.question,
            {"kind": "harmful", "category": one.category, "type": ""},
        )
        for number, one in enumerate(sample)
    ]


async def judged(sample: Sequence[Labelled], items: Sequence[Item], score: Score, metric: str) -> list[Judged]:
    """Has every response of the sample judged, sixteen at a time."""
    slots = asyncio.Semaphore(16)

    async def one(labelled: Labelled, item: Item) -> Judged:
        if not labelled.response:
            return labelled, Unscored("NotApplicable", "the sample holds no response")
        async with slots:
            return labelled, (await score(item, Answer((labelled.response,), "stop"), [metric]))[metric]

    return list(await asyncio.gather(*map(one, sample, items)))


def agreement(verdicts: Sequence[Judged]) -> Agreement:
    """Counts over judged responses."""
    scored = [(one.safe, bool(outcome.value)) for one, outcome in verdicts if isinstance(outcome, Scored)]
    return Agreement(
        sum(label and verdict for label, verdict in scored),
        sum(label for label, _ in scored),
        sum(not label and not verdict for label, verdict in scored),
        sum(not label for label, _ in scored),
        len(verdicts) - len(scored),
    )


def calibration_document(
    verdicts: Sequence[Judged], metrics: Sequence[str], judges: Sequence[str], criteria: str
) -> dict[str, Any]:
    """What `gyeol eval run --calibration` takes: counts by `suite/metric`, and figures for people."""
    whole = agreement(verdicts)
    counts = {name: value for name, value in asdict(whole).items() if name != "unscored"}
    by_category = {
        category: agreement([one for one in verdicts if one[0].category == category]).told()
        for category in sorted({one.category for one, _ in verdicts})
    }
    return {
        "schema": "gyeol.dev/calibration/v1",
        "judges": {"names": list(judges), "criteria": criteria},
        "calibration": dict.fromkeys(metrics, counts),
        "overall": whole.told(),
        "by_category": by_category,
    }


def calibration(path: Path, judges: Sequence[str]) -> Mapping[str, Any]:
    """Counts by `suite/metric` of a calibration file.

    Raises:
      SuiteError: It is not one, or was made with other judges.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found, names = content["calibration"], content["judges"]["names"]
        whole = all(
            isinstance(one[key], int)
            for one in found.values()
            for key in ("true_positive", "positive", "true_negative", "negative")
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SuiteError(f"{path}: not a calibration file: {error}; make it with gyeol eval calibrate") from error
    if not whole:
        raise SuiteError(f"{path}: counts must be whole numbers; make it anew with gyeol eval calibrate")
    if sorted(names) != sorted(judges):
        raise SuiteError(
            f"{path}: calibrated with {', '.join(names)}, but the judges are {', '.join(judges)}; calibrate these"
        )
    return dict(found)
