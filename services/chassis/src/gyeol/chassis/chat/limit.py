"""How many calls an endpoint is given at once: found out by asking, given back when it says it is too much."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from typing import Final

from gyeol.chassis.clock import Clock

_CUT: Final = 0.7
_FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 60.0
"""Seconds after which an endpoint that only refuses is asked again at the latest, unless it names a longer time itself."""
_PATIENT: Final = 2
"""Refusals from which on it is left alone for a while."""
_MOST: Final = 12
"""Refusals that count: more would not lengthen the pause, and would have to be answered away again."""


class Limit:
    """Additive increase, multiplicative decrease (TCP's rule), with a slow start.

    An endpoint that refuses more often than it answers is left alone for a while: for as long as it says, else for a time that doubles
    with each refusal and halves with each answer, shortened by chance so that several services do not come back together.

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
        self._older = 0
        """Calls in flight that were made before the last cut: what they say was answered by it."""
        self._closed_until = float("-inf")
        self._refusals = 0
        """Refusals, those of calls that were made together as one, less the answers since."""
        self._opener: asyncio.Task[None] | None = None
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Waits for a place; who came first gets one first."""
        if not self._waiters and self._pause_left <= 0 and self.in_flight < int(self.current):
            self.in_flight += 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self._wake()
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self.in_flight -= 1
                self._wake()
            raise

    def release(self, *, overloaded: bool = False, retry_after: float | None = None) -> None:
        """Gives the place back and learns from how the call went.

        Args:
          overloaded: The endpoint asked for fewer calls, or gave no answer.
          retry_after: Seconds for which it wants none, when it said so.
        """
        self.in_flight -= 1
        older, self._older = self._older > 0, max(0, self._older - 1)
        if overloaded:
            self._cut(retry_after, counts=not older)
        else:
            self._refusals = max(0, self._refusals - 1)
            if self._refusals < _PATIENT:  # while it has to be left alone between calls, more at once would be in vain
                grown = self.current + (1.0 if self._slow_start else 1.0 / self.current)
                self.current = min(self._ceiling, grown)
        self._wake()

    def _cut(self, retry_after: float | None, *, counts: bool) -> None:
        now = self._clock.monotonic()
        self._slow_start = False
        if counts:
            self._older = self.in_flight
            self.current = max(1.0, self.current * _CUT)
            self._refusals = min(_MOST, self._refusals + 1)
        pause = self._pause() if retry_after is None else retry_after
        self._closed_until = max(self._closed_until, now + pause)

    def _pause(self) -> float:
        """Seconds to leave the endpoint alone; none at first: fewer calls at once may do."""
        if self._refusals < _PATIENT:
            return 0.0
        doubled = _FIRST_PAUSE * 2.0 ** (self._refusals - _PATIENT)
        return min(LONGEST_PAUSE, doubled) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret

    @property
    def _pause_left(self) -> float:
        return self._closed_until - self._clock.monotonic()

    def _wake(self) -> None:
        """Gives free places to those who wait."""
        if self._pause_left > 0:
            if self._waiters and self._opener is None:
                self._opener = asyncio.create_task(self._open())
            return
        while self._waiters and self.in_flight < int(self.current):
            waiter = self._waiters.popleft()
            if not waiter.done():
                self.in_flight += 1
                waiter.set_result(None)

    async def _open(self) -> None:
        while (pause := self._pause_left) > 0:
            await self._clock.sleep(pause)
        self._opener = None
        self._wake()
