"""How long a model is waited for that stopped answering."""

from __future__ import annotations

from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import NotReadyError

OUTAGE_SECONDS = 300.0
"""It restarts, or the machine is busy; one that is away for longer does not come back by itself."""
PAUSE_SECONDS = 1.0
"""Before it is asked again, when it does not say when to come back."""


class Patience:
    """Shared by all items of an evaluation: an answer to any of them shows that the model is there."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._away_since: float | None = None

    def answered(self) -> None:
        """Some item was answered."""
        self._away_since = None

    def pause(self, error: Exception) -> bool | float:
        """Seconds until the item is asked again; False to give it up. Has the shape that `stamina` wants."""
        if not isinstance(error, NotReadyError):
            return False
        now = self._clock.monotonic()
        if self._away_since is None:
            self._away_since = now
        return now - self._away_since < OUTAGE_SECONDS and max(PAUSE_SECONDS, error.retry_after or 0.0)
