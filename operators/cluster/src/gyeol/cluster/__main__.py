"""The operator, and what else its image does inside job pods.

python -m gyeol.cluster                          run the operator
python -m gyeol.cluster crds DIR                 write the CustomResourceDefinitions
python -m gyeol.cluster fetch URL FOLDER...      bring folders of an object store into the pod
python -m gyeol.cluster mirror URL FOLDER        keep sending a folder to an object store
python -m gyeol.cluster gauge FOLDER ...         measure a canary
python -m gyeol.cluster witness JOB FOLDER ...   verify what a job left, record it and report it
python -m gyeol.cluster part JOB FOLDER ...      verify one part of what a job leaves
python -m gyeol.cluster gather FOLDER            put the parts of an evaluation together
python -m gyeol.cluster credentials ...          make the Secrets of an installation
python -m gyeol.cluster probe NAME=ADDRESS...    ask every service whether it is well
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gyeol.chassis.errors import GyeolError, InvalidError
from gyeol.chassis.run import serve
from gyeol.cluster import installation
from gyeol.cluster.life import compose
from gyeol.cluster.settings import Settings
from gyeol.reconcile.crd.definition import files
from gyeol.reconcile.manifest.site import ARTIFACTS
from gyeol.reconcile.seen import Job

TERMINATION = Path("/dev/termination-log")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
installation.register(app)


@app.command()
def crds(folder: Annotated[Path, typer.Argument(help="Folder of the chart's templates.")]) -> None:
    """Write the CustomResourceDefinitions, made from the models."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")


@app.command()
def fetch(url: str, paths: list[str], root: Path = Path(ARTIFACTS)) -> None:
    """Bring folders of an object store into the pod."""
    from gyeol.cluster import depot

    _say(event="fetched", files=depot.fetch(url, paths, root))


@app.command()
def mirror(url: str, path: str) -> None:
    """Keep sending a folder to an object store until the pod ends."""
    from gyeol.cluster import depot

    asyncio.run(depot.mirror(url, path))


@app.command()
def witness(
    job: Job,
    path: str,
    run_id: Annotated[str, typer.Option(help="Run that the result belongs to.")],
    ledger_address: Annotated[str, typer.Option(help="Address of the ledger.")],
    location: Annotated[str, typer.Option(help="Address by which others find the result.")],
    attempt: Annotated[int, typer.Option(help="Attempt that left it.")] = 0,
    store: Annotated[str, typer.Option(help="Object store to send the result to.")] = "",
    public_key: Annotated[Path | None, typer.Option(help="PEM public key of the gate.")] = None,
    root: Annotated[Path, typer.Option(help="Root of the artifact store in this pod.")] = Path(ARTIFACTS),
    report: Annotated[Path, typer.Option(help="Where the report goes.")] = TERMINATION,
) -> None:
    """Verify what a job left, record it in the ledger and report it."""
    from gyeol.cluster import depot
    from gyeol.cluster.notary import recorded
    from gyeol.cluster.witness import proven

    with _failures_said():
        found, manifest = proven(job, root / path, location, public_key)
        if store:
            _say(event="sent", files=depot.send(store, path, {}, root))
        asyncio.run(recorded(found, manifest, run_id, attempt, ledger_address))
    report.write_text(found.written(), encoding="utf-8")
    _say(event="witnessed", job=job.value, digest=found.digest)


@app.command()
def part(
    job: Job,
    path: str,
    store: Annotated[str, typer.Option(help="Object store to send the part to.")] = "",
    root: Annotated[Path, typer.Option(help="Root of the artifact store in this pod.")] = Path(ARTIFACTS),
    report: Annotated[Path, typer.Option(help="Where the report goes.")] = TERMINATION,
) -> None:
    """Verify one part of what a job leaves, and send it."""
    from gyeol.cluster import depot
    from gyeol.cluster.witness import proven

    with _failures_said():
        found, _ = proven(job, root / path, path)
        if store:
            _say(event="sent", files=depot.send(store, path, {}, root))
    report.write_text(found.written(), encoding="utf-8")
    _say(event="witnessed", job=job.value, digest=found.digest)


@app.command()
def gather(
    path: str,
    parts: Annotated[int, typer.Option(help="Parts there must be: one for each suite.", min=1)],
    root: Annotated[Path, typer.Option(help="Root of the artifact store in this pod.")] = Path(ARTIFACTS),
) -> None:
    """Put the parts of an evaluation together, one part for each suite."""
    from gyeol.cluster.assembly import assembled

    with _failures_said():
        manifest = assembled(root / path, parts)
    _say(event="gathered", suites=list(manifest["suites"]))


@app.command()
def gauge(
    path: str,
    endpoint: Annotated[str, typer.Option(help="OpenAI-compatible base URL of the new model alone.")],
    model: Annotated[str, typer.Option(help="Name of the model.")],
    requests: Annotated[int, typer.Option(help="Requests for latency and errors.", min=1)] = 20,
    root: Annotated[Path, typer.Option(help="Root of the artifact store in this pod.")] = Path(ARTIFACTS),
    report: Annotated[Path, typer.Option(help="Where the report goes.")] = TERMINATION,
) -> None:
    """Measure a canary: rates from the evaluation beside it, latency and errors by requests."""
    from gyeol.cluster.gauge import gauged

    try:
        found = asyncio.run(gauged(root / path, endpoint, model, requests))
    except GyeolError as error:
        _say(event="error", message=str(error))
        raise SystemExit(2) from None
    report.write_text(found.written(), encoding="utf-8")
    _say(event="gauged", **(found.values or {}))


@contextlib.contextmanager
def _failures_said() -> Iterator[None]:
    """Ends with a line that says what went wrong: status 2 for what another attempt would not change, else 1."""
    try:
        yield
    except GyeolError as error:
        _say(event="error", message=str(error))
        raise SystemExit(2 if isinstance(error, InvalidError) else 1) from None


def _say(**line: object) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        app()
    else:
        serve("cluster", Settings, compose)
