"""Evaluation folders as the gate reads them, made from plain numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = Mapping[str, Any]


def row(suite: str, metric: str, item: str, value: float | None, **other: Any) -> dict[str, Any]:
    """One outcome; `unscored` must be given when `value` is None."""
    return {
        "suite": suite,
        "item_id": item,
        "stratum": "I",
        "cluster": item,
        "metric": metric,
        "value": value,
        "unscored": None,
        "prompt_hash": "p",
        "template_hash": "t",
    } | other


def rows(
    suite: str, metric: str, values: Iterable[float | None], strata: int = 1, per_cluster: int = 1
) -> list[dict[str, Any]]:
    """One row per value, spread over strata S0.. and clusters of `per_cluster` neighbours."""
    return [
        row(
            suite,
            metric,
            f"{number:06d}",
            value,
            stratum=f"S{number % strata}",
            cluster=f"m{number // per_cluster}",
            unscored=None if value is not None else "JudgeFailed",
        )
        for number, value in enumerate(values)
    ]


SCHEMA = pa.schema(
    [(name, pa.float64() if name == "value" else pa.string()) for name in row("", "", "", None)],
)


def evaluation(folder: Path, outcomes: list[dict[str, Any]], **manifest: Any) -> Path:
    """Writes `outcomes.parquet` and `manifest.json` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(outcomes, schema=SCHEMA), folder / "outcomes.parquet")
    digest = hashlib.sha256((folder / "outcomes.parquet").read_bytes()).hexdigest()
    content = {
        "runner_version": "0.1.0",
        "suites": {},
        "judges": ["safety"],
        "pack_digest": "sha256:aa",
        "law_as_of": "2026-11-30",
        "generation": {"temperature": 0},
        "model_digest": f"sha256:{folder.name}",
        "files": {"outcomes.parquet": f"sha256:{digest}"},
    } | manifest
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    return folder
