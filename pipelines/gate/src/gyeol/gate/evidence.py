"""Outcomes of two evaluations, read as evidence.

An evaluation folder holds `manifest.json` and `outcomes.parquet`, one row per item and metric:
`suite, item_id, stratum, cluster, metric, value (null when unscored), unscored (reason, null when scored), prompt_hash, template_hash`.
Two folders are comparable when they were made by the same runner under the same conditions on the same items.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from gyeol.gate.error import EvidenceError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_COLUMNS = ("suite", "item_id", "stratum", "cluster", "metric", "value", "unscored", "prompt_hash", "template_hash")
_SAME = ("runner_version", "suites", "judges", "pack_digest", "law_as_of", "generation", "calibration")
"""Manifest fields that have to be equal on both sides."""


@dataclass(frozen=True)
class Series:
    """One metric of one suite, paired item by item.

    All arrays have one entry per item, in the order of item ids; values are NaN where an item is unscored.
    """

    suite: str
    metric: str
    items: tuple[str, ...]
    strata: tuple[str, ...]
    clusters: Ints
    """Index of the item's cluster (mold), from 0."""
    baseline: Floats
    candidate: Floats
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Number of unscored items by `side/reason`."""

    @property
    def paired(self) -> npt.NDArray[np.bool_]:
        """Items that are scored on both sides."""
        return np.isfinite(self.baseline) & np.isfinite(self.candidate)

    @property
    def binary(self) -> bool:
        """Every scored value is 0 or 1."""
        values = np.concatenate([self.baseline, self.candidate])
        values = values[np.isfinite(values)]
        return bool(np.isin(values, (0.0, 1.0)).all())

    def only(self, mask: npt.NDArray[np.bool_]) -> Series:
        """The items that `mask` selects."""
        chosen = np.flatnonzero(mask)
        return Series(
            self.suite,
            self.metric,
            tuple(self.items[i] for i in chosen),
            tuple(self.strata[i] for i in chosen),
            self.clusters[chosen],
            self.baseline[chosen],
            self.candidate[chosen],
        )


@dataclass(frozen=True)
class Evidence:
    """Everything a verdict rests on."""

    series: Mapping[tuple[str, str], Series]
    """By (suite, metric)."""
    baseline: Mapping[str, Any]
    """The baseline's manifest."""
    candidate: Mapping[str, Any]
    """The candidate's manifest."""
    problems: tuple[str, ...] = ()
    """Why the two sides cannot be compared; any entry rules a pass out."""


def evidence(baseline: Path, candidate: Path) -> Evidence:
    """Reads and pairs two evaluation folders.

    Raises:
      EvidenceError: a folder is missing, truncated, altered or has the wrong columns.
    """
    manifests = _manifest(baseline), _manifest(candidate)
    tables = _outcomes(baseline, manifests[0]), _outcomes(candidate, manifests[1])
    problems = [
        f"{name} differs: baseline {_short(manifests[0].get(name))}, candidate {_short(manifests[1].get(name))}"
        for name in _SAME
        if manifests[0].get(name) != manifests[1].get(name)
    ]
    series: dict[tuple[str, str], Series] = {}
    groups = {
        name: dict(iter(table.groupby(["suite", "metric"], observed=True)))
        for name, table in zip(("b", "c"), tables, strict=True)
    }
    for key in sorted(groups["b"].keys() | groups["c"].keys()):
        before, after = (
            groups[side].get(key, tables[0].iloc[:0]).set_index("item_id").sort_index() for side in ("b", "c")
        )
        common = before.index.intersection(after.index)
        if len(common) < len(before) or len(common) < len(after):
            problems.append(
                f"{key[0]}/{key[1]}: the items differ ({len(before) - len(common)} only in the baseline, "
                f"{len(after) - len(common)} only in the candidate)"
            )
        before, after = before.loc[common], after.loc[common]
        changed = int(((before.prompt_hash != after.prompt_hash) | (before.template_hash != after.template_hash)).sum())
        if changed:
            problems.append(f"{key[0]}/{key[1]}: {changed} items were asked with another prompt or template")
        series[key] = _series(key, before, after)
    return Evidence(series, manifests[0], manifests[1], tuple(problems))


def _series(key: tuple[str, str], before: pd.DataFrame, after: pd.DataFrame) -> Series:
    unscored = {
        f"{side}/{reason}": int(count)
        for side, table in (("baseline", before), ("candidate", after))
        for reason, count in table.unscored.value_counts().items()
        if count
    }
    return Series(
        key[0],
        key[1],
        tuple(before.index),
        tuple(before.stratum.astype(str)),
        np.asarray(pd.factorize(before.cluster.astype(str))[0], dtype=np.int64),
        before.value.to_numpy(dtype=np.float64),
        after.value.to_numpy(dtype=np.float64),
        unscored,
    )


def _manifest(folder: Path) -> Mapping[str, Any]:
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise EvidenceError(f"{path} is missing: the evaluation did not finish; run it again") from None
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{path} cannot be read: {error}; run the evaluation again") from error
    if not isinstance(manifest, dict):
        raise EvidenceError(f"{path} is not a JSON object; run the evaluation again")
    return manifest


def _outcomes(folder: Path, manifest: Mapping[str, Any]) -> pd.DataFrame:
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


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
