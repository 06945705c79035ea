"""One fault of a pack, with the place of the value it is about."""

from __future__ import annotations

from dataclasses import dataclass

Keys = tuple[str | int, ...]


@dataclass(frozen=True)
class Finding:
    file: str
    """Path below the pack folder."""
    keys: Keys
    """Keys and indices that lead to the value inside the file."""
    message: str
    """What is wrong and the remedy."""
    severe: bool = True
    """False: the pack works, but somebody should look at it."""
