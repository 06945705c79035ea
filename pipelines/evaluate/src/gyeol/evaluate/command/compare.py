"""`gyeol eval compare`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from gyeol.evaluate.command.refusal import refuse
from gyeol.evaluate.error import SuiteError


def compare(
    evaluation: Annotated[Path, typer.Argument(help="Evaluation folder. · 평가 폴더", file_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON. · JSON 출력")] = False,
) -> None:
    """Set results beside the figures of papers and benchmarks, each marked comparable or not and why. · 결과를 공표된 수치와 나란히 보여 줍니다."""
    from gyeol.evaluate.comparison import compared

    try:
        found = compared(evaluation)
    except SuiteError as error:
        refuse(error)
    if as_json:
        lines = [
            one.published.model_dump(mode="json", exclude={"needs"})
            | {"ours": one.ours, "comparable": one.comparable, "why": one.why, "why_ko": one.why_ko}
            for one in found
        ]
        sys.stdout.write(json.dumps(lines, ensure_ascii=False) + "\n")
        return
    table = Table(box=None)
    for heading in (
        "suite/metric",
        "ours · 측정",
        "published · 공표",
        "model",
        "source · 출처",
        "comparable · 비교 가능",
    ):
        table.add_column(heading)
    for one in found:
        figure = one.published
        tuned = f" → {figure.tuned:.3g}" if figure.tuned is not None else ""
        mark = "yes · 예" if one.comparable else f"no · 아니요: {one.why}\n{one.why_ko}"
        name = f"{figure.suite}/{figure.metric}"
        table.add_row(name, f"{one.ours:.3g}", f"{figure.value:.3g}{tuned}", figure.model, figure.source, mark)
    Console().print(table if found else "no published figure for these suites · 공표된 수치가 없습니다")
