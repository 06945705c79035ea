"""What processes wrote: the end of a log, and the words in it that matter."""

from __future__ import annotations

import json
import os
from pathlib import Path

TAIL_LINES = 12
LONGEST_WORDS = 500


def size(log: Path) -> int:
    """Bytes in a log: where what is written from now on begins."""
    return log.stat().st_size if log.exists() else 0


def tail(log: Path, lines: int = TAIL_LINES, *, since: int = 0) -> str:
    """The last lines of a log, of those after `since` bytes."""
    try:
        with log.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 64 * 1024, since, 0))
            return "\n".join(file.read().decode("utf-8", "replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def last_words(log: Path, *, since: int, longest: int = LONGEST_WORDS) -> str:
    """Why a process ended, as it said itself: its last error, or the last line that says something; frames say nothing.

    Args:
      log: What it wrote.
      since: Bytes that were there before it was started.
      longest: Characters to return at most.
    """
    lines = [line.strip(" │") for line in tail(log, since=since).splitlines()]
    told = next((why for line in reversed(lines) if (why := _error(line))), "")
    last = next((line for line in reversed(lines) if any(sign.isalnum() for sign in line)), "")
    return (told or last).removeprefix("error: ").removeprefix("Error: ")[:longest]


def _error(line: str) -> str:
    """What a structured line calls an error."""
    if not line.startswith("{"):
        return ""
    try:
        return str(json.loads(line).get("error") or "")
    except ValueError:
        return ""
