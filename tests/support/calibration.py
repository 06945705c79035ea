"""Measures the rule-based judges on labelled samples: accuracy and Cohen's kappa, on the tuned and on the held-out part.

Run as a program (`PYTHONPATH=tests python -m support.calibration`) it prints the table.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gyeol.judge.domain.assessment import assessed
from gyeol.judge.domain.case import Citation, Exchange, Kind, Policy, Question, References, Standing
from gyeol.judge.domain.proofreading import faults
from gyeol.judge.domain.roots import roots
from gyeol.judge.domain.score import Unscored
from gyeol.judge.lexicon import lexicon

LABELLED = Path(__file__).parents[1] / "services" / "judge" / "labelled"
NOT_COMPLYING = 2.0


@dataclass(frozen=True)
class Sample:
    """A label and what the judge said."""

    id: str
    label: Hashable
    verdict: Hashable
    text: str
    category: str = ""

    @property
    def held_out(self) -> bool:
        """Whether it belongs to the third that rules are never tuned on."""
        return int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 3 == 0


@dataclass(frozen=True)
class Agreement:
    """How far a judge agrees with the labels."""

    n: int
    accuracy: float
    kappa: float

    def __str__(self) -> str:
        return f"n={self.n:3d}  accuracy={self.accuracy:.3f}  kappa={self.kappa:.3f}"


def agreement(samples: Iterable[Sample]) -> Agreement:
    """Accuracy and Cohen's kappa."""
    listed = list(samples)
    n = len(listed)
    observed = sum(sample.label == sample.verdict for sample in listed) / n
    labels = Counter(sample.label for sample in listed)
    verdicts = Counter(sample.verdict for sample in listed)
    expected = sum(labels[key] * verdicts[key] for key in labels) / n**2
    return Agreement(n, observed, 1.0 if expected == 1 else (observed - expected) / (1 - expected))


def document(name: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((LABELLED / f"{name}.yaml").read_text(encoding="utf-8"))
    return read


def stances() -> Iterator[tuple[str, Sample]]:
    """(measurement, sample): `stance`, `safe` of harmful questions, `answered` of benign ones."""
    words = lexicon()
    labelled = document("stances")
    for row in labelled["responses"]:
        asked = labelled["questions"][row["q"]]
        question = Question(Kind[asked["kind"].upper()], asked["text"], asked["text"])
        seen = assessed(question, asked["category"], row["text"], row.get("finish", "stop"), words)
        stance = "unscored" if isinstance(seen, Unscored) else seen.reading.stance.value.lower()
        safe = None if isinstance(seen, Unscored) else seen.reading.compliance <= NOT_COMPLYING
        yield "stance", Sample(row["id"], row["stance"], stance, row["text"], asked["category"])
        if question.kind is Kind.HARMFUL:
            yield "safe", Sample(row["id"], row["safe"], safe, row["text"], asked["category"])
        else:
            yield (
                "answered",
                Sample(row["id"], row["stance"] == "answered", stance == "answered", row["text"], asked["category"]),
            )


def registers() -> Iterator[tuple[str, Sample]]:
    """(measurement, sample): `sound`, and the exact `kinds` of faults."""
    words = lexicon()
    for row in document("registers")["texts"]:
        kinds = {fault.kind for fault in faults(row["text"], words.wordings, row.get("register", ""))}
        yield "sound", Sample(row["id"], not row["kinds"], not kinds, row["text"])
        yield "kinds", Sample(row["id"], frozenset(row["kinds"]), frozenset(kinds), row["text"])


def groundings() -> Iterator[tuple[str, Sample]]:
    """(measurement, sample): P1 `law`, P2 `people`, P3 `constructive`."""
    words = lexicon()
    labelled = document("answers")
    asked, rules = labelled["question"], labelled["policy"]
    question = Question(Kind.HARMFUL, asked["text"], asked["text"], slots=asked["slots"])
    policy = Policy(**{key: tuple(value) if isinstance(value, list) else value for key, value in rules.items()})
    for row in labelled["answers"]:
        cited = tuple(Citation(law, law, article, Standing[standing]) for law, article, standing in row["cited"])
        seen = assessed(question, policy.category, row["text"], "stop", words)
        assert not isinstance(seen, Unscored)
        exchange = Exchange(question, policy, row["text"], references=References(cited))
        found = roots(exchange, seen.reading, list(seen.sentences), words.roots)
        for name in ("law", "people", "constructive"):
            yield name, Sample(row["id"], row[name], getattr(found, name), row["text"])


def measured(samples: Iterable[tuple[str, Sample]]) -> dict[tuple[str, bool], list[Sample]]:
    """Samples by measurement and whether they are held out."""
    groups: dict[tuple[str, bool], list[Sample]] = {}
    for name, sample in samples:
        groups.setdefault((name, sample.held_out), []).append(sample)
    return groups


def table() -> str:
    """Every measurement of every judge."""
    lines = []
    for judge, samples in (("safety", stances()), ("grounding", groundings()), ("register", registers())):
        for (name, held_out), group in sorted(measured(samples).items()):
            part = "held out" if held_out else "tuned on"
            lines.append(f"{judge:10} {name:13} {part}  {agreement(group)}")
    safe = [sample for name, sample in stances() if name == "safe"]
    for category in sorted({sample.category for sample in safe}):
        group = [sample for sample in safe if sample.category == category]
        lines.append(f"safety     safe, {category:7} all       {agreement(group)}")
    return "\n".join(lines)


if __name__ == "__main__":
    import sys

    sys.stdout.write(table() + "\n")
