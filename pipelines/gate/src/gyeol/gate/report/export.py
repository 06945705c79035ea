"""Further forms of a verdict, written on request beside the reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gyeol.gate.error import GateError
from gyeol.gate.report.card import card
from gyeol.gate.report.junit import junit
from gyeol.gate.report.lineage import lineage
from gyeol.gate.report.mlflow import tracking_batch

Document = Mapping[str, Any]


def _text(name: str, made: Callable[[Document], str]) -> Callable[[Path, Document], None]:
    def write(folder: Path, document: Document) -> None:
        (folder / name).write_text(made(document), encoding="utf-8")

    return write


def _json(made: Callable[[Document], object]) -> Callable[[Document], str]:
    return lambda document: json.dumps(made(document), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


EXPORTS: Mapping[str, Callable[[Path, Document], None]] = {
    "card": _text("README.md", card),
    "junit": _text("junit.xml", junit),
    "openlineage": _text("openlineage.json", _json(lineage)),
    "mlflow": _text("mlflow.json", _json(tracking_batch)),
}


def export_names(text: str) -> list[str]:
    """Names of a comma-separated list.

    Raises:
      GateError: A name is unknown.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in EXPORTS:
            raise GateError(f"export {name!r} is unknown; known are {', '.join(EXPORTS)}")
    return names
