"""Checkpoints: only those with a COMPLETE marker count.

A kill while saving leaves a folder that looks like a checkpoint; the marker is written when every process has saved.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MARKER = "COMPLETE"


def newest(folder: Path) -> Path | None:
    """The complete checkpoint with the highest step, or None."""
    found = [path for path in folder.glob("checkpoint-*") if (path / MARKER).is_file()]
    return max(found, key=_step, default=None)


def discard_incomplete(folder: Path) -> list[Path]:
    """Removes what a killed process left half written; returns what was removed."""
    broken = [path for path in folder.glob("checkpoint-*") if not (path / MARKER).is_file()]
    for path in broken:
        shutil.rmtree(path)
    return broken


def complete(path: Path) -> None:
    """Marks a checkpoint as whole, after its files have reached the disk."""
    for file in path.iterdir():
        with file.open("rb") as content:
            os.fsync(content.fileno())
    marker = path / MARKER
    with marker.open("wb") as content:
        os.fsync(content.fileno())
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _step(path: Path) -> int:
    return int(path.name.rsplit("-", 1)[1])
