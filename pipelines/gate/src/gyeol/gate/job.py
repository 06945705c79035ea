"""One gate: two evaluation folders and a policy in, a verdict and its reports out."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.gate.error import EvidenceError
from gyeol.gate.evidence import Evidence, evidence
from gyeol.gate.policy import GatePolicy
from gyeol.gate.report.document import document
from gyeol.gate.report.example import examples
from gyeol.gate.report.export import EXPORTS
from gyeol.gate.report.html import html
from gyeol.gate.report.markdown import markdown
from gyeol.gate.sentence import Reason
from gyeol.gate.signature import sign, signing_key
from gyeol.gate.verdict import verdict


@dataclass(frozen=True)
class Gated:
    document: dict[str, Any]
    output: Path


def gate(
    baseline: Path,
    candidate: Path,
    policy: GatePolicy,
    output: Path,
    now: dt.datetime,
    key: Path | None = None,
    exports: Sequence[str] = (),
) -> Gated:
    """Judges and reports. Evidence that cannot be read makes the verdict inconclusive; it is never an exception, never a pass.

    Raises:
      GateError: the signing key cannot be used; nothing was judged.
    """
    private = signing_key(key) if key is not None else None
    try:
        seen = evidence(baseline, candidate)
    except EvidenceError as error:
        seen = Evidence({}, {}, {}, (Reason("unreadable", detail=str(error)),), unread=True)
    reached = verdict(policy, seen, now.date())
    told = document(reached, seen, now.isoformat(timespec="seconds"))
    output.mkdir(parents=True, exist_ok=True)
    changed = examples(policy.spec, seen, baseline, candidate, limit=12)
    (output / "report.md").write_text(markdown(told), encoding="utf-8")
    (output / "report.html").write_text(html(told, changed), encoding="utf-8")
    for name in exports:
        EXPORTS[name](output, told)
    path = output / "verdict.json"
    partial = output / "verdict.json.partial"
    partial.write_text(json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(path)
    if private is not None:
        sign(path, private)
    return Gated(told, output)
