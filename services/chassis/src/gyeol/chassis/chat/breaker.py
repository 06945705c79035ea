"""Stops asking an endpoint that is down."""

from __future__ import annotations

from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import NotReadyError


class Breaker:
    """Opens after some failures in a row; after a while it lets one call try, and closes when that succeeds.

    Args:
      failures: Failures in a row that open it.
      seconds: Seconds it stays open.
    """

    def __init__(self, clock: Clock, name: str, failures: int = 5, seconds: float = 15.0) -> None:
        self._clock = clock
        self._name = name
        self._allowed = failures
        self._seconds = seconds
        self._failures = 0
        self._opened_until = float("-inf")

    @property
    def is_open(self) -> bool:
        return self._failures >= self._allowed and self._clock.monotonic() < self._opened_until

    def check(self) -> None:
        """Lets a call through.

        Raises:
          NotReadyError: The endpoint failed too often lately.
        """
        if self.is_open:
            left = self._opened_until - self._clock.monotonic()
            raise NotReadyError(
                f"endpoint {self._name} failed {self._failures} times in a row and is asked again in {left:.0f} s",
                retry_after=left,
            )
        if self._failures >= self._allowed:  # this call tries; the others wait for how it goes
            self._opened_until = self._clock.monotonic() + self._seconds

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self) -> None:
        self._failures += 1
        if self._failures >= self._allowed:
            self._opened_until = self._clock.monotonic() + self._seconds
