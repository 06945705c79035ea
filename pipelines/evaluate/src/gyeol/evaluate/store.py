"""Writes an evaluation folder: outcomes, responses kept apart, the manifest last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Journal
from gyeol.evaluate.outcome import Scored, Unscored
from gyeol.evaluate.suite import Suite

_OUTCOMES = pa.schema(
    [
        ("suite", pa.string()),
        ("item_id", pa.string()),
        ("stratum", pa.string()),
        ("cluster", pa.string()),
        ("metric", pa.string()),
        ("value", pa.float64()),
        ("unscored", pa.string()),
        ("detail", pa.string()),
        ("prompt_hash", pa.string()),
        ("template_hash", pa.string()),
    ]
)
_RESPONSES = pa.schema([(name, pa.string()) for name in ("suite", "item_id", "prompt", "response", "finish_reason")])


def write_evaluation(
    folder: Path, evaluated: Sequence[tuple[Suite, Sequence[Item]]], journal: Journal, manifest: Mapping[str, Any]
) -> dict[str, Any]:
    """Writes the three files in order and returns the manifest as written."""
    outcomes: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    for suite, items in evaluated:
        for item in sorted(items, key=lambda one: one.id):
            entry = journal.entries[suite.name, item.id]
            responses.append(
                {
                    "suite": suite.name,
                    "item_id": item.id,
                    "prompt": item.messages[-1].content,
                    "response": entry.response,
                    "finish_reason": entry.finish_reason,
                }
            )
            for metric, outcome in entry.outcomes.items():
                outcomes.append(
                    {
                        "suite": suite.name,
                        "item_id": item.id,
                        "stratum": item.stratum,
                        "cluster": item.cluster,
                        "metric": metric,
                        "value": outcome.value if isinstance(outcome, Scored) else None,
                        "unscored": outcome.reason if isinstance(outcome, Unscored) else None,
                        "detail": outcome.detail if isinstance(outcome, Unscored) else None,
                        "prompt_hash": item.prompt_hash,
                        "template_hash": suite.template_hash,
                    }
                )
    files = {
        "outcomes.parquet": _write(folder / "outcomes.parquet", outcomes, _OUTCOMES),
        "responses.parquet": _write(folder / "responses.parquet", responses, _RESPONSES),
    }
    content = dict(manifest) | {"files": files}
    partial = folder / "manifest.json.partial"
    partial.write_text(json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(folder / "manifest.json")
    return content


def _write(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> str:
    partial = path.with_name(path.name + ".partial")
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), partial, compression="zstd")
    partial.replace(path)
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
