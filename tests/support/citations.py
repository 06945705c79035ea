"""Reads the list of texts with known citations, and scores a checker against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gyeol.policy.domain.citation.checker import Report
from gyeol.policy.domain.citation.verdict import Verdict
from gyeol.policy.domain.law import name_key

VERDICTS = {"V": Verdict.VERIFIED, "N": Verdict.NOT_IN_FORCE, "F": Verdict.NOT_FOUND, "U": Verdict.UNCHECKED}

Key = tuple[str, str, Verdict]
"""Law (its key, or nothing for what is no law's name), article, verdict."""


@dataclass
class Case:
    text: str
    on: str = "2026-11-30"
    expected: list[Key] = field(default_factory=list)


@dataclass
class Score:
    """Counts per verdict over a list of texts."""

    right: Counter[Verdict] = field(default_factory=Counter)
    wrong: Counter[Verdict] = field(default_factory=Counter)
    missed: Counter[Verdict] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def precision(self, verdict: Verdict) -> float:
        return self.right[verdict] / (self.right[verdict] + self.wrong[verdict])

    def recall(self, verdict: Verdict) -> float:
        return self.right[verdict] / (self.right[verdict] + self.missed[verdict])


def cases(path: Path) -> Iterator[Case]:
    """Yields the texts of a list in the form described at its head."""
    case: Case | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            if case:
                yield case
            case = None
        elif case is None:
            case = Case(line)
        elif line.startswith("@"):
            case.on = line[1:].strip()
        elif not line.startswith("="):
            case.text += "\n" + line
        else:
            law, article, verdict = (cell.strip() for cell in line[1:].split("|"))
            case.expected.append(("" if law == "~" else name_key(law), article, VERDICTS[verdict]))
    if case:
        yield case


def score(listed: list[Case], check: Callable[[str, str], Report]) -> Score:
    """Compares what a checker finds with what is expected; order within a text does not count."""
    total = Score()
    for case in listed:
        found = [
            (name_key(citation.finding.law), citation.article, citation.finding.verdict)
            for citation in check(case.text, case.on).citations
        ]
        unnamed = {key[1:] for key in case.expected if not key[0]}
        expected = Counter(case.expected)
        actual = Counter(("", *key[1:]) if key[1:] in unnamed and key not in expected else key for key in found)
        for key, count in (expected & actual).items():
            total.right[key[2]] += count
        for key, count in (actual - expected).items():
            total.wrong[key[2]] += count
            total.faults.append(f"{case.text!r}: found {key}")
        for key, count in (expected - actual).items():
            total.missed[key[2]] += count
            total.faults.append(f"{case.text!r}: missed {key}")
    return total
