"""An evaluation folder: `manifest.json` and `outcomes.parquet`, one row per item and metric.

Columns: `suite, item_id, stratum, cluster, metric, value (null when unscored), unscored (reason, null when scored), prompt_hash,
template_hash`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from gyeol.gate.error import EvidenceError

_COLUMNS = ("suite", "item_id", "stratum", "cluster", "metric", "value", "unscored", "prompt_hash", "template_hash")


def manifest(folder: Path) -> Mapping[str, Any]:
    """What the evaluation says about itself.

    Raises:
      EvidenceError: missing or not a JSON object.
    """
    path = folder / "manifest.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise EvidenceError(f"{path} is missing: the evaluation did not finish; run it again") from None
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{path} cannot be read: {error}; run the evaluation again") from error
    if not isinstance(content, dict):
        raise EvidenceError(f"{path} is not a JSON object; run the evaluation again")
    return content


def outcomes(folder: Path, manifest: Mapping[str, Any]) -> pd.DataFrame:
    """The rows, each either scored with a finite value or unscored with a reason.

    Raises:
      EvidenceError: missing, truncated, altered, with the wrong columns or with rows that say two things.
    """
    path = folder / "outcomes.parquet"
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        expected = str(manifest.get("files", {}).get("outcomes.parquet", ""))
        if expected.removeprefix("sha256:") != digest:
            raise EvidenceError(
                f"{path} does not match its manifest: it was changed or cut short; run the evaluation again"
            )
        schema = pq.read_schema(path)
        absent = [name for name in _COLUMNS if name not in schema.names]
        if absent:
            raise EvidenceError(
                f"{path} lacks the columns {', '.join(absent)}; it was written by another program or version"
            )
        repeated = [name for name in _COLUMNS if name not in ("item_id", "value")]
        table: pd.DataFrame = pq.read_table(path, columns=list(_COLUMNS), read_dictionary=repeated).to_pandas()
    except (OSError, pa.ArrowException) as error:
        raise EvidenceError(f"{path} cannot be read: {error}; run the evaluation again") from error
    _check_rows(path, table)
    table["cluster"] = table.cluster.astype(object).where(table.cluster.notna(), table.item_id)
    for name in ("prompt_hash", "template_hash", "suite", "metric"):
        table[name] = table[name].astype(object)
    return table


def _check_rows(path: Path, table: pd.DataFrame) -> None:
    finite = np.isfinite(table.value.to_numpy(dtype=np.float64, na_value=np.nan))
    wrong = finite == table.unscored.notna().to_numpy()
    if wrong.any():
        row = table[wrong].iloc[0]
        raise EvidenceError(
            f"{path}: item {row.item_id} of {row.suite}/{row.metric} must be either scored with a finite value or unscored with a reason"
        )
    twice = table.duplicated(["suite", "metric", "item_id"])
    if twice.any():
        row = table[twice].iloc[0]
        raise EvidenceError(
            f"{path}: item {row.item_id} of {row.suite}/{row.metric} occurs twice; average repeats before the gate"
        )
