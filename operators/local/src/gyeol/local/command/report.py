"""`gyeol report`: what came out of a run."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer
from rich.markdown import Markdown

from gyeol.local.errors import NothingThereError
from gyeol.local.home import Home
from gyeol.local.result import result_of
from gyeol.local.table import show
from gyeol.local.terminal import AsJson, RunName, console, emit, failures_told


def report(
    name: RunName = None,
    full: Annotated[bool, typer.Option("--full", help="The whole report of the gate. · 게이트 보고서 전체")] = False,
    browser: Annotated[bool, typer.Option("--open", help="Open it in the browser. · 브라우저로 열기")] = False,
    as_json: AsJson = False,
) -> None:
    """What came out of a run. · 실행 결과를 보여 줍니다."""
    with failures_told(as_json=as_json):
        folder = Home.found().resolve(name)
        result = result_of(folder)
        if (full or browser) and not result.report:
            raise NothingThereError(f"{folder.run_id} has no report yet; it is {result.state}")
        if as_json:
            emit(result.as_json())
        elif full:
            console().print(Markdown((folder.gate / "report.md").read_text(encoding="utf-8")))
        else:
            show(result, console())
        if browser:
            webbrowser.open((folder.gate / "report.html").as_uri())
