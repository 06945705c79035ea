"""What can be done without a running ledger. Exit codes: 0 whole, 2 damaged or no dataset, 1 anything else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.ledger.service.verification import verified
from gyeol.ledger.store.archive import archive
from gyeol.ledger.store.press import unpressed

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Sealed datasets. · 봉인된 데이터셋을 확인합니다.",
)


@app.callback()
def sealed() -> None:
    """Sealed datasets. · 봉인된 데이터셋을 확인합니다."""


@app.command()
def verify(
    location: Annotated[
        str, typer.Argument(help="Folder or URL of a sealed dataset. · 봉인된 데이터셋의 폴더 또는 주소")
    ],
) -> None:
    """Recomputes every hash of a sealed dataset; names the first file that does not match. · 모든 해시를 다시 계산해 확인합니다."""
    place = location if "://" in location else str(Path(location).resolve())
    try:
        dataset = asyncio.run(verified(archive(place), unpressed))
    except GyeolError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1 if error.meaning is Meaning.NOT_READY else 2) from None
    typer.echo(f"{dataset.digest} {dataset.rows} rows, {dataset.benign_rows} benign: whole")
