"""The spans of one record, from the files that services write when a run is traced."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any


def spans_of(folder: Path, record: str) -> list[dict[str, Any]]:
    """Every span of the traces that name a record: parents before children, earlier ones first.

    Each has `name`, `service`, `start`, `milliseconds` and `depth`.
    """
    spans = [span for file in sorted(folder.glob("*.jsonl")) for span in _spans(file)]
    traces = {span["trace"] for span in spans if record in span["attributes"].values()}
    chosen = [span for span in spans if span["trace"] in traces]
    known = {span["id"] for span in chosen}
    roots = [span for span in chosen if span["parent"] not in known]
    return [shown for root in sorted(roots, key=_start) for shown in _below(root, chosen, 0)]


def _below(span: dict[str, Any], chosen: list[dict[str, Any]], depth: int) -> list[dict[str, Any]]:
    shown = {key: span[key] for key in ("name", "service", "start", "milliseconds")} | {"depth": depth}
    children = sorted((one for one in chosen if one["parent"] == span["id"]), key=_start)
    return [shown, *(one for child in children for one in _below(child, chosen, depth + 1))]


def _start(span: dict[str, Any]) -> str:
    return str(span["start"])


def _spans(file: Path) -> list[dict[str, Any]]:
    found = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found.append(_span(json.loads(line)))
        except (ValueError, LookupError, TypeError, AttributeError):
            continue  # the last line of a process that was killed, or nothing of ours
    return found


def _span(value: dict[str, Any]) -> dict[str, Any]:
    start, end = (datetime.fromisoformat(value[key]) for key in ("start_time", "end_time"))
    return {
        "id": value["context"]["span_id"],
        "trace": value["context"]["trace_id"],
        "parent": value.get("parent_id"),
        "name": value["name"],
        "service": value.get("resource", {}).get("attributes", {}).get("service.name", ""),
        "attributes": value.get("attributes") or {},
        "start": value["start_time"],
        "milliseconds": (end - start).total_seconds() * 1000,
    }
