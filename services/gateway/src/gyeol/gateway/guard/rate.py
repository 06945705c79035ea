"""Requests in a minute: of one caller, and tries to sign in from one address."""

from __future__ import annotations

import time

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from gyeol.gateway.errors import RateExceededError


class Rates:
    """Counts in this process; several replicas allow as many times more.

    Args:
      requests: Requests of one caller in a minute.
      sign_ins: Tries to sign in, from one address in a minute.
    """

    def __init__(self, requests: int, sign_ins: int) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._requests = RateLimitItemPerMinute(requests, namespace="request")
        self._sign_ins = RateLimitItemPerMinute(sign_ins, namespace="sign-in")

    async def request(self, caller: str) -> None:
        """Raises: RateExceededError."""
        await self._hit(self._requests, caller)

    async def sign_in(self, address: str) -> None:
        """Raises: RateExceededError."""
        await self._hit(self._sign_ins, address)

    async def _hit(self, limit: RateLimitItem, caller: str) -> None:
        if not await self._limiter.hit(limit, caller):
            window = await self._limiter.get_window_stats(limit, caller)
            raise RateExceededError(f"{limit.amount} requests a minute", max(1.0, window.reset_time - time.time()))
