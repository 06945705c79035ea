"""The pack that `gyeol pack init` starts from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from gyeol.policy.errors import PackInvalidError

_NAME: Final = re.compile(r"[a-z]{2,3}-[A-Z]{2}")
_REVIEW_DAYS: Final = 90


def write(folder: Path, *, name: str, title: str, on: str) -> Iterator[Path]:
    """Writes a skeleton pack into an empty folder and yields its files.

    Raises:
      PackInvalidError: The name has another form than ja-JP, or the folder holds something.
    """
    if not _NAME.fullmatch(name):
        raise PackInvalidError([f"name = {name!r}: write a language and a region such as ja-JP"])
    if folder.exists() and any(folder.iterdir()):
        raise PackInvalidError([f"{folder} is not empty: name a new folder"])
    review_by = (date.fromisoformat(on) + timedelta(days=_REVIEW_DAYS)).isoformat()
    words = {"name": name, "language": name.partition("-")[0], "title": title, "on": on, "review_by": review_by}
    for source, place in _sources(resources.files("gyeol.policy").joinpath("skeleton"), Path()):
        text = source.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f'"{{{word}}}"', f'"{value}"')
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        yield target


def _sources(folder: Traversable, place: Path) -> Iterator[tuple[Traversable, Path]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry, place / entry.name)
        else:
            yield entry, place / entry.name
