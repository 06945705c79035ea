"""Time as a port, so that what depends on it can be tested without waiting, and the day on which a moment falls."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, Protocol

_KOREA: Final = timezone(timedelta(hours=9))


class Clock(Protocol):
    def now(self) -> datetime:
        """The date and time, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def day_in_korea(moment: datetime) -> str:
    """The ISO day of a moment where Korean law begins and ends: at midnight in Korea, wherever the machine stands."""
    return moment.astimezone(_KOREA).date().isoformat()
