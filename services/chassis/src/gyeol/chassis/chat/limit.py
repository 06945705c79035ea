"""How many calls an endpoint is given at once: found out by asking, given back when it says it is too much."""

from __future__ import annotations

import asyncio
from collections import deque

from gyeol.chassis.clock import Clock

_CUT_EVERY = 0.1
_CUT = 0.7


class Limit:
    """Additive increase, multiplicative decrease (TCP's rule), with a slow start.

    Args:
      ceiling: Most calls at once.
    """

    def __init__(self, clock: Clock, ceiling: int, start: int = 8) -> None:
        self._clock = clock
        self._ceiling = float(ceiling)
        self.current = float(min(start, ceiling))
        """Calls allowed at once, now."""
        self.in_flight = 0
        self._slow_start = True
        self._cut_at = float("-inf")
        self._closed_until = float("-inf")
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Waits for a place."""
        while True:
            pause = self._closed_until - self._clock.monotonic()
            if pause > 0:
                await self._clock.sleep(pause)
            elif self.in_flight < int(self.current):
                self.in_flight += 1
                return
            else:
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                try:
                    await waiter
                except asyncio.CancelledError:
                    if waiter.done() and not waiter.cancelled():
                        self._wake()
                    raise

    def release(self, *, overloaded: bool = False, retry_after: float | None = None) -> None:
        """Gives the place back and learns from how the call went."""
        self.in_flight -= 1
        if overloaded:
            self._cut(retry_after)
        else:
            grown = self.current + (1.0 if self._slow_start else 1.0 / self.current)
            self.current = min(self._ceiling, grown)
        self._wake()

    def _cut(self, retry_after: float | None) -> None:
        now = self._clock.monotonic()
        self._slow_start = False
        if now - self._cut_at >= _CUT_EVERY:
            self._cut_at = now
            self.current = max(1.0, self.current * _CUT)
        if retry_after is not None:
            self._closed_until = max(self._closed_until, now + retry_after)

    def _wake(self) -> None:
        places = int(self.current) - self.in_flight
        while self._waiters and places > 0:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                places -= 1
