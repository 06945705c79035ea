"""A clock that only moves when it is told to, or when somebody sleeps on it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta


class SteppedClock:
    """Time in steps: `sleep` moves it on and gives the others a turn."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self.seconds = 0.0
        """Seconds since the start."""
        self.slept: list[float] = []
        """Every sleep that was asked for."""

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        self.seconds += max(0.0, seconds)
