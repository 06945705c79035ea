"""`gyeol run`: carry an AlignmentRun out."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from gyeol.chassis.chat import Endpoint
from gyeol.local.display import Display, display
from gyeol.local.errors import EndpointError, InputError
from gyeol.local.home import Home, RunFolder
from gyeol.local.lock import held
from gyeol.local.process import Identity
from gyeol.local.result import result_of, status_of
from gyeol.local.shipped import complaints
from gyeol.local.status import VERDICT, Exit
from gyeol.local.terminal import AsJson, console, emit, failures_told, interruptible
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.decide import final
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.identity import run_id


def run(
    file: Annotated[Path, typer.Option("-f", "--file", help="AlignmentRun (YAML). · 실행 명세")],
    trace: Annotated[
        bool, typer.Option("--trace", help="Write spans; read them with gyeol trace --spans. · 추적 기록")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Carry a run out from seeds to a gated model; give it again to resume. · 정렬 실행을 끝까지 수행합니다."""
    with failures_told(as_json=as_json):
        home = Home.found()
        described = parse_alignment_run(_content(file), str(file), complaints)
        folder = home.run(run_id(described))
        with held(home, f"gyeol run {folder.run_id}"):
            told = console(as_json=as_json)
            status = status_of(folder)
            if not final(status):
                shown = display(as_json=as_json, console=told)
                endpoints = _endpoints(described, home, file)
                _greet(described, folder, home, shown)
                _keep(file, folder)
                described = described.model_copy(update={"status": status})
                _drive(described, home, folder, shown, endpoints, trace=trace)
            _finish(folder, as_json=as_json)


def _endpoints(described: AlignmentRun, home: Home, file: Path) -> list[Endpoint]:
    """The endpoints of the run, looked for beside its file and in the examples, and asked whether they are there."""
    from gyeol.local.endpoint import endpoints_of, troubles

    places = (file.absolute().parent / "models", Path.cwd() / "examples" / "models")
    endpoints = list(endpoints_of(described, home, places).values())
    if found := asyncio.run(troubles(endpoints)):
        raise EndpointError("; ".join(found))
    return endpoints


def _drive(
    described: AlignmentRun, home: Home, folder: RunFolder, shown: Display, endpoints: list[Endpoint], *, trace: bool
) -> None:
    from gyeol.chassis import logs
    from gyeol.chassis.settings import ServiceSettings
    from gyeol.local.fleet import Fleet
    from gyeol.local.service import Surroundings
    from gyeol.local.session import Session

    async def work() -> None:
        keys = tuple(sorted({one.api_key_env for one in endpoints if one.api_key_env}))
        fleet = Fleet(Surroundings(home, folder.spans if trace else None, keys=keys), say=shown.note)
        session = Session(home, folder, described, fleet, shown, endpoints)
        try:
            with shown:
                session.progress.doing = "starting services · 서비스 시작"
                shown.update(session.progress)
                await fleet.up(owner=Identity.of(os.getpid()))
                await session.drive()
        finally:
            if fleet.roster.owner is not None:
                fleet.down()

    home.prepare()
    with home.log("run").open("a", encoding="utf-8") as file:  # what is printed belongs to a person or a program
        logs.configure(ServiceSettings(), "run", file)
        interruptible(work, home, shown.note)


def _finish(folder: RunFolder, *, as_json: bool) -> None:
    from gyeol.local.table import show

    result = result_of(folder)
    if as_json:
        emit({"event": "result", **result.as_json()})
    else:
        show(result, console())
    raise typer.Exit(int(VERDICT.get(result.verdict, Exit.FAILED)))


def _greet(described: AlignmentRun, folder: RunFolder, home: Home, shown: Display) -> None:
    others = [
        one.run_id
        for one in home.run_folders()
        if one.run_id.rpartition("-")[0] == described.metadata.name and one.run_id != folder.run_id
    ]
    if others and not folder.specification.is_file():
        shown.note(f"the specification differs from {others[0]}: this is a new run, {folder.run_id}")
    spec = described.spec
    shown.note(f"{folder.run_id}: {spec.base_model.uri} with {spec.culture.name}, state in {folder.path}")


def _keep(file: Path, folder: RunFolder) -> None:
    """Keeps the specification beside what is made from it."""
    folder.path.mkdir(parents=True, exist_ok=True)
    if not folder.specification.is_file():
        folder.specification.write_bytes(_content(file))


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {file}; an example is examples/ko-quickstart.yaml") from None
    except IsADirectoryError:
        raise InputError(f"{file} is a folder; name the YAML file of a run") from None
