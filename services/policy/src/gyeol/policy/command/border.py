"""What both commands share at the border to a person: errors as one message, and what was meant by what was typed."""

from __future__ import annotations

import contextlib
import re
import sys
import unicodedata
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Final

import typer

from gyeol.chassis.clock import SystemClock, day_in_korea
from gyeol.chassis.errors import GyeolError, InvalidError, NotFoundError
from gyeol.policy.errors import (
    ArticleInvalidError,
    DateInvalidError,
    ImageInvalidError,
    IndexInvalidError,
    PackInvalidError,
    PackMissingError,
    TextInvalidError,
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


_WITH_ARTICLE: Final = re.compile(r"(?P<law>.*\S)\s+(?P<article>제\s*\d+\s*조.*)")
"""A law and an article in one argument, with the space that a person writes between them."""


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
        return day_in_korea(SystemClock().now())
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        raise DateInvalidError(f"{given!r} is no date: write YYYY-MM-DD") from None


def law_and_article(name: str, article: str) -> tuple[str, str]:
    """Takes the article out of the name where both came as one argument: `'형법 제250조'`.

    Raises:
      ArticleInvalidError: There are two articles, one in the name and one beside it.
    """
    written = _WITH_ARTICLE.fullmatch(name.strip())
    if written is None:
        return name, article
    if article:
        raise ArticleInvalidError(
            f"LAW = {name!r} and ARTICLE = {article!r} name an article each: write it once, "
            f"for example '{written['law']}' '{article}'"
        )
    return written["law"], written["article"]


def read_text(file: Path) -> str:
    """Returns the text of a file, or of standard input for `-`, composed (NFC).

    Raises:
      TextInvalidError: It cannot be read, or is not UTF-8.
    """
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return unicodedata.normalize("NFC", raw.decode("utf-8-sig"))
    except FileNotFoundError:
        raise TextInvalidError(f"there is no file {file}: name a text file, or - to read standard input") from None
    except IsADirectoryError:
        raise TextInvalidError(f"{file} is a folder: name a text file, or - to read standard input") from None
    except OSError as error:
        raise TextInvalidError(f"{file}: cannot be read ({error.strerror}): make it readable") from None
    except UnicodeDecodeError as error:
        raise TextInvalidError(f"{file}: byte {error.start} is not UTF-8: save the text as UTF-8") from None
