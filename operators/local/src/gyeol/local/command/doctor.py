"""`gyeol doctor`: what this machine lacks, each with its remedy."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gyeol.local.checkup import Finding, findings
from gyeol.local.home import Home
from gyeol.local.status import Exit
from gyeol.local.terminal import AsJson, console, emit, failures_told

_MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "missing": "[red]missing[/]"}


def doctor(
    file: Annotated[
        Path | None, typer.Option("-f", "--file", help="Also check what this run needs. · 이 실행에 필요한 것도 점검")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check this machine, and a run's endpoints and keys. · 이 컴퓨터를 점검합니다."""
    with failures_told(as_json=as_json):
        found = asyncio.run(findings(Home.found(), file))
        if as_json:
            emit([vars(one) for one in found])
        else:
            console().print(_table(found))
        bad = any(one.state == "missing" for one in found)
        raise typer.Exit(int(Exit.FAILED if bad else Exit.DONE))


def _table(found: list[Finding]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for one in found:
        table.add_row(_MARKS[one.state], one.what, one.said + (f"\n→ {one.remedy}" if one.remedy else ""))
    return table
