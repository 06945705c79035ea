"""How often each message failed, by meaning.

The broker only counts deliveries. A record that waited an hour for an endpoint must not die of its first real error.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from gyeol.chassis.errors import Meaning

_REMEMBERED: Final = 50_000


class Attempts:
    """Failures of messages that are not done with, in this process."""

    def __init__(self) -> None:
        self._failures: dict[int, Counter[Meaning]] = {}

    def failed(self, sequence: int, meaning: Meaning) -> int:
        """Counts a failure; returns how many of this meaning the message has had, from 1."""
        counted = self._failures.setdefault(sequence, Counter())
        counted[meaning] += 1
        if len(self._failures) > _REMEMBERED:  # other replicas finished them
            self._failures.pop(next(iter(self._failures)))
        return counted[meaning]

    def forget(self, sequence: int) -> None:
        """The message is done with."""
        self._failures.pop(sequence, None)

    def __bool__(self) -> bool:
        return bool(self._failures)
