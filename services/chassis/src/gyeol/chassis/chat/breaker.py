"""Stops asking an endpoint that is down."""

from __future__ import annotations

from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import NotReadyError


class Breaker:
    """Opens after so many failures in a row; lets one call try again after a while."""

    def __init__(self, clock: Clock, name: str, failures: int = 5, seconds: float = 15.0) -> None:
        self._clock = clock
        self._name = name
        self._allowed = failures
        self._seconds = seconds
        self._failures = 0
        self._open_until = float("-inf")

    def check(self) -> None:
        """Lets a call through.

        Raises:
          NotReadyError: The endpoint failed too often lately.
        """
        if self._failures < self._allowed:
            return
        left = self._open_until - self._clock.monotonic()
        if left > 0:
            raise NotReadyError(
                f"endpoint {self._name} failed {self._failures} times in a row: tried again in {left:.0f} s",
                retry_after=left,
            )
        self._open_until = self._clock.monotonic() + self._seconds

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self) -> None:
        self._failures += 1
        if self._failures >= self._allowed:
            self._open_until = self._clock.monotonic() + self._seconds
