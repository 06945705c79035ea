"""Puts the parts of an evaluation together: suites that were measured side by side become one evaluation, as if by one program.

What has to be equal for results to be comparable must be equal in all parts: the model, the pack, the law, the judges, the runner.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from gyeol.cluster.witness import UnprovenError, proven
from gyeol.reconcile.seen import Job

TABLES = ("outcomes.parquet", "responses.parquet")
_BY_SUITE = ("suites", "summary", "judged", "calibration", "generation", "usage", "made_at", "files")
"""What parts say of their own suite; everything else is said of all."""

Manifest = Mapping[str, Any]


def assembled(folder: Path, count: int) -> Manifest:
    """Puts `folder/parts/0`, `1`, ... together in `folder`, the manifest last; the manifest.

    Args:
      folder: The evaluation.
      count: Parts there must be, at least one.

    Raises:
      UnprovenError: A part is missing or damaged, or the parts were not measured under the same conditions.
    """
    places = [folder / "parts" / str(number) for number in range(count)]
    parts = [json.loads(proven(Job.EVALUATE_BASELINE, place, str(place))[1]) for place in places]
    made = _joined(parts, places)
    made["files"] = {name: _written(folder / name, [place / name for place in places]) for name in TABLES}
    partial = folder / "manifest.json.partial"
    partial.write_text(json.dumps(made, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(folder / "manifest.json")
    return made


def _joined(parts: Sequence[Manifest], places: Sequence[Path]) -> dict[str, Any]:
    first = parts[0]
    for part, place in zip(parts, places, strict=True):
        for key in (first.keys() | part.keys()) - set(_BY_SUITE):
            if part.get(key) != first.get(key):
                raise UnprovenError(
                    f"{place}/manifest.json has {key} {part.get(key)!r}, but {places[0]} has {first.get(key)!r}; "
                    "only suites that were measured under the same conditions belong together: start the run again"
                )
    suites = [name for part in parts for name in part["suites"]]
    twice = sorted({name for name in suites if suites.count(name) > 1})
    if twice:
        raise UnprovenError(f"{', '.join(twice)} was measured in two parts of {places[0].parent}; start the run again")
    joined = {key: value for key, value in first.items() if key not in _BY_SUITE}
    return joined | {
        "suites": {name: one for part in parts for name, one in part["suites"].items()},
        "summary": [one for part in parts for one in part["summary"]],
        "judged": [one for part in parts for one in part["judged"]],
        "calibration": {name: one for part in parts for name, one in part["calibration"].items()},
        "generation": _generation([part["generation"] for part in parts]),
        "usage": _usage([part["usage"] for part in parts]),
        "made_at": max(part["made_at"] for part in parts),
    }


def _generation(parts: Sequence[Manifest]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if isinstance(value, Mapping):
                joined[key] = {**joined.get(key, {}), **value}
            elif isinstance(value, list):
                joined[key] = sorted({*joined.get(key, []), *value})
            elif joined.setdefault(key, value) != value:
                raise UnprovenError(f"generation.{key} is {joined[key]!r} in one part and {value!r} in another")
    return joined


def _usage(parts: Sequence[Manifest]) -> dict[str, Any]:
    """A cost is known only when every part that used tokens knows its own."""
    costs = [part["cost"] for part in parts if part["tokens"]]
    known = bool(costs) and all(cost is not None for cost in costs)
    return {
        "tokens": sum(part["tokens"] for part in parts),
        "cost": str(sum(map(Decimal, costs), Decimal(0))) if known else None,
    }


def _written(target: Path, sources: Sequence[Path]) -> str:
    """One table after the other, a group of rows at a time; the digest of the file."""
    partial = target.with_name(target.name + ".partial")
    with pq.ParquetWriter(partial, pq.read_schema(sources[0]), compression="zstd") as writer:
        for source in sources:
            with pq.ParquetFile(source) as file:
                for number in range(file.num_row_groups):
                    writer.write_table(file.read_row_group(number))
    partial.replace(target)
    with target.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
