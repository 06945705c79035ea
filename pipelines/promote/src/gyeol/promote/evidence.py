"""What a promotion rests on: a model, and a verdict about exactly that model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.promote.errors import EvidenceError


@dataclass(frozen=True)
class Evidence:
    model: str
    """`sha256:...` of the model's files."""
    dataset: str
    pack: str
    policy: str
    """Digest of the gate policy."""
    summary: str
    report: str
    """The gate report in Markdown."""


def evidence(model: Path, verdict: Path) -> Evidence:
    """Reads a model's manifest and a verdict, and refuses what does not belong together.

    Raises:
      EvidenceError: Either cannot be read, the verdict is no pass, or it is about another model.
    """
    manifest, judged = _json(model / "manifest.json"), _json(verdict)
    bound = judged.get("bound_to")
    if judged.get("verdict") != "Pass" or not isinstance(bound, dict):
        raise EvidenceError(f"{verdict}: the verdict is {judged.get('verdict')!r}; only a Pass is promoted")
    digest = str(manifest.get("digest", ""))
    if not digest or bound.get("model") != digest:
        raise EvidenceError(
            f"{verdict} is about the model {bound.get('model') or 'unknown'}, {model} is {digest or 'unknown'}; run the gate on this model"
        )
    lacking = [name for name in ("dataset", "pack", "policy") if not bound.get(name)]
    if lacking:
        raise EvidenceError(
            f"{verdict} is not bound to a digest of {', '.join(lacking)}; evaluate with the dataset and run the gate again"
        )
    report = verdict.with_name("report.md")
    text = report.read_text(encoding="utf-8") if report.exists() else str(judged.get("summary", ""))
    return Evidence(
        digest, str(bound["dataset"]), str(bound["pack"]), str(bound["policy"]), str(judged.get("summary", "")), text
    )


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise EvidenceError(f"{path} is not a JSON object")
    return found
