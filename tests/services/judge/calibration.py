"""Measures the rule-based judges on labelled samples: accuracy and Cohen's kappa, on the tuned and on the held-out part.

Run as a program it prints the table of the README.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

LABELLED = Path(__file__).parent / "labelled"


def held_out(identity: str) -> bool:
    """Whether a sample belongs to the third that rules are never tuned on."""
    return int(hashlib.sha256(identity.encode()).hexdigest(), 16) % 3 == 0


def samples(name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((LABELLED / f"{name}.yaml").read_text(encoding="utf-8"))
    return document


@dataclass(frozen=True)
class Agreement:
    """How far a judge agrees with the labels."""

    n: int
    accuracy: float
    kappa: float

    def __str__(self) -> str:
        return f"n={self.n} accuracy={self.accuracy:.3f} kappa={self.kappa:.3f}"


def agreement(pairs: Iterable[tuple[Hashable, Hashable]]) -> Agreement:
    """Accuracy and Cohen's kappa of (label, verdict) pairs."""
    listed = list(pairs)
    n = len(listed)
    observed = sum(label == verdict for label, verdict in listed) / n
    labels, verdicts = Counter(label for label, _ in listed), Counter(verdict for _, verdict in listed)
    expected = sum(labels[key] * verdicts[key] for key in labels) / n**2
    return Agreement(n, observed, 1.0 if expected == 1 else (observed - expected) / (1 - expected))


def by(rows: Sequence[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
    return dict(sorted(groups.items()))
