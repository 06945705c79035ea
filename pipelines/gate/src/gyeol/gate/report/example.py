"""Items whose outcome changed, for the HTML report.

Only a binary metric has a good and a bad side; text on the bad side is masked, because it is what a judge found harmful.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gyeol.gate.evidence import Evidence
from gyeol.gate.policy import Spec
from gyeol.gate.rule import Superiority

MASK = "█████ (masked)"


@dataclass(frozen=True)
class _Change:
    suite: str
    item: str
    stratum: str
    before: float
    after: float
    good: float

    @property
    def order(self) -> tuple[bool, str, str]:
        """Losses first."""
        return self.after == self.good, self.stratum, self.item


def examples(spec: Spec, evidence: Evidence, baseline: Path, candidate: Path, limit: int) -> list[dict[str, Any]]:
    """Up to `limit` changed items of the superiority criteria, losses first; a dash where responses were not kept."""
    chosen = heapq.nsmallest(limit, _changes(spec, evidence), key=lambda one: one.order)
    said = _texts(baseline, chosen), _texts(candidate, chosen)
    found = []
    for one in chosen:
        texts = [side.get((one.suite, one.item), "–") for side in said]
        shown = [
            text if value == one.good else MASK for text, value in zip(texts, (one.before, one.after), strict=True)
        ]
        found.append(
            {
                "item_id": one.item,
                "stratum": one.stratum,
                "baseline": f"{one.before:g}",
                "candidate": f"{one.after:g}",
                "baseline_text": shown[0],
                "candidate_text": shown[1],
            }
        )
    return found


def _changes(spec: Spec, evidence: Evidence) -> Iterator[_Change]:
    for criterion in spec.criteria:
        series = evidence.series.get((criterion.suite, criterion.metric))
        if not isinstance(criterion, Superiority) or series is None or not series.binary:
            continue
        good = 1.0 if criterion.direction == "higher" else 0.0
        for index in np.flatnonzero(series.paired & (series.baseline != series.candidate)):
            before, after = float(series.baseline[index]), float(series.candidate[index])
            yield _Change(series.suite, series.items[index], series.strata[index], before, after, good)


def _texts(folder: Path, chosen: Sequence[_Change]) -> dict[tuple[str, str], str]:
    """Responses to the chosen items only: all of them may be more than fits into memory."""
    path = folder / "responses.parquet"
    if not chosen or not path.exists():
        return {}
    wanted = [("suite", "in", {one.suite for one in chosen}), ("item_id", "in", {one.item for one in chosen})]
    try:
        table = pq.read_table(path, columns=["suite", "item_id", "response"], filters=wanted)
    except (OSError, pa.ArrowException):
        # The verdict rests on the outcomes alone: examples that cannot be read are not shown.
        return {}
    return {(row["suite"], row["item_id"]): row["response"] or "" for row in table.to_pylist()}
