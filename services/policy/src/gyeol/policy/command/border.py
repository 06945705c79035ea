"""What both commands share at the border to a person: errors as one message, the pack that is meant."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import typer

from gyeol.chassis.clock import SystemClock
from gyeol.chassis.errors import GyeolError, InvalidError, NotFoundError
from gyeol.policy.domain.day import today
from gyeol.policy.errors import (
    DateInvalidError,
    ImageInvalidError,
    IndexInvalidError,
    PackInvalidError,
    PackMissingError,
)
from gyeol.policy.service import DEFAULT_CULTURE
from gyeol.policy.settings import cultures_folder

STATUSES = (
    "Exit statuses: 0 done · 1 a fault was found, or it could not be done · 2 bad input. "
    "Days are days in Korea. · 날짜는 한국 시각을 따릅니다."
)
"""What `explained` gives back to a script."""

_FAULTS = (PackInvalidError, ImageInvalidError, IndexInvalidError)
"""Not a wrong call: what was given was looked at and found faulty."""


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Turns an error that is meant for a person into a message and an exit status, see `STATUSES`."""
    try:
        yield
    except GyeolError as error:
        typer.echo(str(error), err=True)
        usage = isinstance(error, InvalidError | NotFoundError) and not isinstance(error, _FAULTS)
        sys.exit(2 if usage else 1)


def pack_folder(given: Path | None) -> Path:
    """Returns the folder of the pack that is meant: the one given, else ko-KR of the cultures folder."""
    folder = given if given is not None else cultures_folder() / DEFAULT_CULTURE
    if not (folder / "pack.yaml").is_file():
        raise PackMissingError(f"{folder} holds no culture pack: it has no pack.yaml")
    return folder


def day(given: str | None) -> str:
    """Returns an ISO day, today in Korea when none is given."""
    if given is None:
        return today(SystemClock().now())
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        raise DateInvalidError(f"{given!r} is no date: write YYYY-MM-DD") from None
