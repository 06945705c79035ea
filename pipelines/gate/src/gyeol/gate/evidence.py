"""Outcomes of two evaluations, read as evidence.

Two folders are comparable when they were made by the same runner under the same conditions on the same items.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gyeol.gate.folder import manifest, outcomes
from gyeol.gate.sentence import Reason
from gyeol.gate.series import Series

_SAME = ("runner_version", "suites", "judges", "pack_digest", "law_as_of", "generation", "calibration")
"""Manifest fields that have to be equal on both sides."""


@dataclass(frozen=True)
class Evidence:
    """Everything a verdict rests on."""

    series: Mapping[tuple[str, str], Series]
    """By (suite, metric)."""
    baseline: Mapping[str, Any]
    """The baseline's manifest."""
    candidate: Mapping[str, Any]
    """The candidate's manifest."""
    problems: tuple[Reason, ...] = ()
    """Why the two sides cannot be compared; any entry rules a pass out."""
    unread: bool = False
    """A folder could not be read, so that there is nothing to judge."""


def evidence(baseline: Path, candidate: Path) -> Evidence:
    """Reads and pairs two evaluation folders.

    Raises:
      EvidenceError: a folder is missing, truncated, altered or has the wrong columns.
    """
    manifests = manifest(baseline), manifest(candidate)
    tables = outcomes(baseline, manifests[0]), outcomes(candidate, manifests[1])
    problems = [
        Reason("differs", name=name, baseline=_short(manifests[0].get(name)), candidate=_short(manifests[1].get(name)))
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
        about = {"suite": key[0], "metric": key[1]}
        if len(before) and not len(after):
            problems.append(Reason("no-candidate", **about))
        elif len(after) and not len(before):
            problems.append(Reason("no-baseline", **about))
        elif len(common) < max(len(before), len(after)):
            only = {"baseline": len(before) - len(common), "candidate": len(after) - len(common)}
            problems.append(Reason("other-items", **about, **only))
        before, after = before.loc[common], after.loc[common]
        changed = int(((before.prompt_hash != after.prompt_hash) | (before.template_hash != after.template_hash)).sum())
        if changed:
            problems.append(Reason("other-prompts", n=changed, **about))
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


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
