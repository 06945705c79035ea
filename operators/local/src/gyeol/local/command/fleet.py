"""`gyeol up` and `gyeol down`: broker and services without a run."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.table import Table

from gyeol.local import roster
from gyeol.local.errors import BusyError
from gyeol.local.home import Home
from gyeol.local.lock import held, holder, is_held
from gyeol.local.roster import Roster
from gyeol.local.terminal import AsJson, console, emit, ends_cleanly, failures_told


def up(as_json: AsJson = False) -> None:
    """Start the broker and the services; they stay up until gyeol down. · 서비스를 시작합니다."""
    from gyeol.local.fleet import Fleet
    from gyeol.local.service import Surroundings

    with failures_told(as_json=as_json), ends_cleanly():
        home = Home.found()
        told = console(as_json=as_json)
        with held(home, "gyeol up"):
            fleet = Fleet(Surroundings(home), say=told.print)
            try:
                asyncio.run(fleet.up(owner=None))
            except BaseException:
                fleet.down()
                raise
        _show(fleet.roster, as_json=as_json)


def down(
    force: Annotated[bool, typer.Option(help="Also while a run is active. · 실행 중이어도 종료")] = False,
    as_json: AsJson = False,
) -> None:
    """Stop the broker and the services. · 서비스를 종료합니다."""
    from gyeol.local.fleet import Fleet
    from gyeol.local.service import Surroundings

    with failures_told(as_json=as_json):
        home = Home.found()
        if is_held(home) and not force:
            raise BusyError(f"{holder(home)} is active; stop it with Ctrl-C first, or give --force")
        fleet = Fleet(Surroundings(home))
        fleet.roster = roster.stored(home) or Roster(None)
        ended = sum(fleet.roster.alive().values())
        fleet.down()
        if as_json:
            emit({"ended": ended})
        else:
            console().print(f"{ended} processes ended · 프로세스 {ended}개를 종료했습니다")


def _show(known: Roster, *, as_json: bool) -> None:
    if as_json:
        entries = {
            name: {
                "pid": entry.identity.pid,
                "port": entry.port,
                "metricsPort": entry.metrics_port,
                "httpPort": entry.http_port,
            }
            for name, entry in known.entries.items()
        }
        emit({"entries": entries})
        return
    table = Table(box=None)
    for heading in ("", "address", "pid"):
        table.add_column(heading)
    for name, entry in known.entries.items():
        table.add_row(name, known.address(name), str(entry.identity.pid))
    out = console()
    out.print(table)
    if "gateway" in known.entries:
        out.print(f"console · 콘솔: http://127.0.0.1:{known.entries['gateway'].http_port}")
