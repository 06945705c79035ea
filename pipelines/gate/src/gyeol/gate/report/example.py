"""Items whose outcome changed, for the HTML report.

Only a binary metric has a good and a bad side; text on the bad side is masked, because it is what a judge found harmful.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from gyeol.gate.evidence import Evidence
from gyeol.gate.policy import Spec
from gyeol.gate.rule import Superiority

MASK = "█████ (masked)"


def examples(spec: Spec, evidence: Evidence, baseline: Path, candidate: Path, limit: int) -> list[dict[str, Any]]:
    """Up to `limit` changed items of the superiority criteria, losses first; empty when responses were not kept."""
    texts = _texts(baseline), _texts(candidate)
    found: list[dict[str, Any]] = []
    for criterion in spec.criteria:
        series = evidence.series.get((criterion.suite, criterion.metric))
        if not isinstance(criterion, Superiority) or series is None or not series.binary:
            continue
        good = 1.0 if criterion.direction == "higher" else 0.0
        for index, item in enumerate(series.items):
            before, after = series.baseline[index], series.candidate[index]
            if before == after or not series.paired[index]:
                continue
            sides = [texts[0].get((series.suite, item), "–"), texts[1].get((series.suite, item), "–")]
            shown = [text if value == good else MASK for text, value in zip(sides, (before, after), strict=True)]
            found.append(
                {
                    "item_id": item,
                    "stratum": series.strata[index],
                    "baseline": f"{before:g}",
                    "candidate": f"{after:g}",
                    "baseline_text": shown[0],
                    "candidate_text": shown[1],
                    "loss": after != good,
                }
            )
    found.sort(key=lambda one: (not one["loss"], one["stratum"], one["item_id"]))
    return found[:limit]


def _texts(folder: Path) -> dict[tuple[str, str], str]:
    path = folder / "responses.parquet"
    if not path.exists():
        return {}
    table = pq.read_table(path, columns=["suite", "item_id", "response"])
    columns = (table.column(name).to_pylist() for name in ("suite", "item_id", "response"))
    return {(suite, item): response or "" for suite, item, response in zip(*columns, strict=True)}
