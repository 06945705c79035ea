"""Writes an evaluation folder: outcomes, responses kept apart, the manifest last. Rows go out in batches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Journal
from gyeol.evaluate.outcome import Scored, Unscored
from gyeol.evaluate.suite import Suite

BATCH = 5000
"""Rows held at once."""
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
        ("runner_version", pa.string()),
    ]
)
_RESPONSES = pa.schema([(name, pa.string()) for name in ("suite", "item_id", "prompt", "response", "finish_reason")])
Evaluated = Sequence[tuple[Suite, Sequence[Item]]]


def write_evaluation(
    folder: Path, evaluated: Evaluated, journal: Journal, manifest: Mapping[str, Any]
) -> dict[str, Any]:
    """Writes the three files in order and returns the manifest as written."""
    files = {
        "outcomes.parquet": _write(
            folder / "outcomes.parquet", _outcomes(evaluated, journal, manifest["runner_version"]), _OUTCOMES
        ),
        "responses.parquet": _write(folder / "responses.parquet", _responses(evaluated, journal), _RESPONSES),
    }
    content = dict(manifest) | {"files": files}
    partial = folder / "manifest.json.partial"
    partial.write_text(json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(folder / "manifest.json")
    return content


def _outcomes(evaluated: Evaluated, journal: Journal, version: str) -> Iterator[dict[str, Any]]:
    for suite, items in evaluated:
        template = suite.template_hash
        for item in sorted(items, key=lambda one: one.id):
            prompt = item.prompt_hash
            for metric, outcome in journal.entries[suite.name, item.id].outcomes.items():
                yield {
                    "suite": suite.name,
                    "item_id": item.id,
                    "stratum": item.stratum,
                    "cluster": item.cluster,
                    "metric": metric,
                    "value": outcome.value if isinstance(outcome, Scored) else None,
                    "unscored": outcome.reason if isinstance(outcome, Unscored) else None,
                    "detail": outcome.detail if isinstance(outcome, Unscored) else None,
                    "prompt_hash": prompt,
                    "template_hash": template,
                    "runner_version": version,
                }


def _responses(evaluated: Evaluated, journal: Journal) -> Iterator[dict[str, Any]]:
    for suite, items in evaluated:
        for item in sorted(items, key=lambda one: one.id):
            entry = journal.entries[suite.name, item.id]
            yield {
                "suite": suite.name,
                "item_id": item.id,
                "prompt": "\n\n".join(filter(None, (item.messages[-1].content, item.follow_up))),
                "response": entry.response,
                "finish_reason": entry.finish_reason,
            }


def _write(path: Path, rows: Iterator[dict[str, Any]], schema: pa.Schema) -> str:
    partial = path.with_name(path.name + ".partial")
    with pq.ParquetWriter(partial, schema, compression="zstd") as writer:
        batch: list[dict[str, Any]] = []
        for row in rows:
            batch.append(row)
            if len(batch) == BATCH:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    partial.replace(path)
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
