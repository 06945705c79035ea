"""What both commands share at the border to a person: errors as one message, the pack that is meant."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import typer

from gyeol.chassis.errors import GyeolError
from gyeol.policy.errors import DateInvalidError, PackMissingError
from gyeol.policy.service import DEFAULT_CULTURE, KOREA
from gyeol.policy.settings import cultures_folder


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Turns an error that is meant for a person into a message and exit code 1."""
    try:
        yield
    except GyeolError as error:
        typer.echo(str(error), err=True)
        sys.exit(1)


def pack_folder(given: Path | None) -> Path:
    """Returns the folder of the pack that is meant: the one given, else ko-KR of the cultures folder."""
    folder = given if given is not None else cultures_folder() / DEFAULT_CULTURE
    if not (folder / "pack.yaml").is_file():
        raise PackMissingError(f"{folder} holds no culture pack: it has no pack.yaml")
    return folder


def day(given: str | None) -> str:
    """Returns an ISO day, today in Seoul when none is given."""
    if given is None:
        return datetime.now(KOREA).date().isoformat()
    try:
        return datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=KOREA).date().isoformat()
    except ValueError:
        raise DateInvalidError(f"{given!r} is no date: write YYYY-MM-DD") from None
