"""The report for a pull request: under 60,000 characters, worst strata first, no text of any record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LIMIT = 60_000
_MARK = {"Pass": "✅", "Fail": "❌", "Inconclusive": "⚠️"}


def markdown(document: Mapping[str, Any]) -> str:
    """Renders the document; strata are left out from the least affected on when the limit would be exceeded."""
    for strata in (20, 8, 3, 0):
        text = _render(document, strata)
        if len(text) < LIMIT:
            return text
    return text[: LIMIT - 40] + "\n\n… (cut; see report.html)\n"


def _render(document: Mapping[str, Any], strata: int) -> str:
    result = document["verdict"]
    lines = [
        f"# {_MARK[result]} Gate: {result} · {document['verdict_ko']}",
        "",
        f"{document['summary']} {document['summary_ko']} Policy `{document['policy']['name']}`, alpha {document['method']['alpha']}.",
        "",
    ]
    if document["problems"]:
        lines += ["**The two evaluations cannot be compared · 두 평가를 비교할 수 없습니다**", ""]
        both = zip(document["problems"], document["problems_ko"], strict=True)
        lines += [f"- {problem}<br>{problem_ko}" for problem, problem_ko in both] + [""]
    lines += [
        "| | criterion · 기준 | baseline · 이전 | candidate · 이후 | change (points) · 변화(%p) | why · 이유 |",
        "|---|---|---|---|---|---|",
    ]
    for one in document["criteria"]:
        overall = one["overall"]
        cells = (
            [_level(overall["baseline"]), _level(overall["candidate"]), _change(overall["change"])]
            if overall
            else ["–"] * 3
        )
        lines.append(
            f"| {_MARK[one['result']]} | **{one['name']}** ({one['kind']}, {one['suite']}/{one['metric']}) | {' | '.join(cells)} | {one['reason']}<br>{one['reason_ko']} |"
        )
    shown: set[tuple[str, str]] = set()
    for one in document["criteria"]:
        key = (one["suite"], one["metric"])
        if not one["strata"] or not strata or key in shown:
            continue
        shown.add(key)
        lines += [
            "",
            f"### {key[0]}/{key[1]} by stratum, worst first",
            "",
            "| stratum · 층 | baseline · 이전 | candidate · 이후 | change (points) · 변화(%p) | items · 문항 |",
            "|---|---|---|---|---|",
        ]
        for stratum in one["strata"][:strata]:
            lines.append(
                f"| {stratum['stratum']} | {_level(stratum['baseline'])} | {_level(stratum['candidate'])} "
                f"| {_change(stratum['change'])} | {stratum['change']['n']} |"
            )
        if len(one["strata"]) > strata:
            lines.append(f"\n{len(one['strata']) - strata} more strata in `verdict.json`.")
    lines += ["", "<details><summary>Bound to</summary>", "", "| what | digest |", "|---|---|"]
    lines += [f"| {name} | `{value or '–'}` |" for name, value in document["bound_to"].items()]
    lines += [
        "",
        f"Intervals: {document['method']['intervals']}. Tests: {document['method']['tests']}.",
        "</details>",
        "",
    ]
    return "\n".join(lines)


def percent(value: float | None) -> str:
    """A level as text; a dash when it was not measured."""
    return "–" if value is None else f"{value:z.1%}"


def points(value: float | None) -> str:
    """A change in percentage points as text; a dash when it was not measured."""
    return "–" if value is None else f"{100 * value:+z.1f}"


def _level(interval: Mapping[str, Any]) -> str:
    return f"{percent(interval['estimate'])} [{percent(interval['low'])}, {percent(interval['high'])}]"


def _change(interval: Mapping[str, Any]) -> str:
    return f"{points(interval['estimate'])} [{points(interval['low'])}, {points(interval['high'])}]"
