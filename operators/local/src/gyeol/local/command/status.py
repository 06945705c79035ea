"""`gyeol status`: where a run is and whether its books add up."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from gyeol.local import roster
from gyeol.local.home import Home
from gyeol.local.kept import Books, kept
from gyeol.local.lock import holder, is_held
from gyeol.local.progress import STATES
from gyeol.local.reason import said
from gyeol.local.result import status_of
from gyeol.local.terminal import AsJson, RunName, console, emit, failures_told


def status(name: RunName = None, as_json: AsJson = False) -> None:
    """Where a run is: milestones and books. · 실행 상태와 장부를 보여 줍니다."""
    with failures_told(as_json=as_json):
        home = Home.found()
        folder = home.resolve(name)
        known, account = status_of(folder), kept(folder.account, Books)
        up = roster.stored(home)
        alive = up.alive() if up else {}
        if as_json:
            emit(
                {
                    "run": folder.run_id,
                    "folder": str(folder.path),
                    "active": is_held(home),
                    "status": known.model_dump(mode="json", by_alias=True),
                    "account": folder.read(folder.account),
                    "services": alive,
                }
            )
            return
        out = console()
        out.print(Text.assemble((folder.run_id, "bold"), f"  {STATES.get(known.state, known.state)}  {known.progress}"))
        out.print(f"active · 실행 중: {holder(home)}" if is_held(home) else "not active · 실행 중 아님")
        conditions = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for one in known.conditions:
            conditions.add_row(one.type, one.status, said(one.reason), one.message)
        out.print(conditions)
        if account:
            out.print(books(account))
            out.print("books balance · 장부 일치" if account.balanced else "books are open · 진행 중인 기록 있음")
        down = [service for service, runs in alive.items() if not runs]
        if alive:
            out.print(
                f"services up · 켜진 서비스: {len(alive) - len(down)}" + (f", down: {', '.join(down)}" if down else "")
            )


def books(account: Books) -> Table:
    """For every stage: inputs = results + drops + failures + pending."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in (
        "stage · 단계",
        "inputs · 입력",
        "results · 결과",
        "drops · 제외",
        "failures · 실패",
        "pending · 대기",
    ):
        table.add_column(heading, justify="left" if heading.startswith("stage") else "right")
    for one in account.stages:
        counts = (one.inputs, one.results, one.drops, one.failures, one.pending)
        table.add_row(one.stage, *map(str, counts))
    return table
