"""The evaluation section of a model card: front matter as the Hugging Face hub reads it (`model-index`), and a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from gyeol.gate.report.markdown import percent, points


def card(document: Mapping[str, Any]) -> str:
    """Front matter and text, English and Korean; a metric that was not measured is not listed."""
    measured: dict[tuple[str, str], Mapping[str, Any]] = {}
    for one in document["criteria"]:
        if one["overall"] and one["overall"]["candidate"]["estimate"] is not None:
            measured.setdefault((one["suite"], one["metric"]), one["overall"])
    side = document["evidence"]["candidate"]
    results = [
        {
            "task": {"type": "text-generation"},
            "dataset": {"name": suite, "type": f"gyeol/{suite}", "revision": _version(side, suite)},
            "metrics": [{"type": metric, "name": metric, "value": overall["candidate"]["estimate"], "verified": False}],
        }
        for (suite, metric), overall in measured.items()
    ]
    front = {
        "language": ["ko"],
        "tags": ["gyeol"],
        "model-index": [{"name": str(side.get("model", "model")), "results": results}],
    }
    lines = [
        "---",
        yaml.safe_dump(front, allow_unicode=True, sort_keys=False).rstrip(),
        "---",
        "",
        "## Evaluation · 평가",
        "",
    ]
    lines += [
        f"Gate verdict under policy `{document['policy']['name']}`: **{document['verdict']} · {document['verdict_ko']}** ({document['made_at']}).",
        "",
        "| suite | metric | before · 이전 | after · 이후 | change (points) · 변화(%p) | items |",
        "|---|---|---|---|---|---|",
    ]
    for (suite, metric), overall in measured.items():
        change = overall["change"]
        lines.append(
            f"| {suite} | {metric} | {percent(overall['baseline']['estimate'])} | {percent(overall['candidate']['estimate'])} "
            f"| {points(change['estimate'])} [{points(change['low'])}, {points(change['high'])}] | {change['n']} |"
        )
    bound = ", ".join(f"{name} `{value}`" for name, value in document["bound_to"].items() if value)
    lines += ["", f"Bound to: {bound}.", ""]
    return "\n".join(lines)


def _version(side: Mapping[str, Any], suite: str) -> str:
    return str(side.get("suites", {}).get(suite, {}).get("version", ""))
