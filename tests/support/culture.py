"""Culture packs for tests: the Korean one as it is, copies to break, and a policy service that serves one."""

from __future__ import annotations

import shutil
from functools import lru_cache
from pathlib import Path

from gyeol.policy.domain.law import LawIndex
from gyeol.policy.domain.pack import Pack
from gyeol.policy.store.folder import Culture, read_culture

KOREAN = Path(__file__).parents[2] / "cultures" / "ko-KR"
TODAY = "2026-11-30"


@lru_cache
def korean() -> Culture:
    """The Korean pack with its law index, read once."""
    return read_culture(KOREAN)


def cultures() -> dict[str, tuple[Pack, LawIndex]]:
    return {"ko-KR": (korean().pack, korean().laws)}


def copy(folder: Path, categories: str = "") -> Path:
    """Copies the Korean pack, or only some categories of it, to a place where a test may break it."""
    made = Path(shutil.copytree(KOREAN, folder / "ko-KR"))
    for path in made.glob("*/?.yaml"):
        if categories and path.stem not in categories:
            path.unlink()
    return made


def edit(folder: Path, file: str, before: str, after: str) -> None:
    """Replaces the first occurrence of a text in a file, which must have it."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert before in text, f"{file} has no {before!r}"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
