"""Tells health checks the truth: a service that cannot reach the broker takes no calls."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from gyeol.chassis import logs
from gyeol.chassis.bus import Bus
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.rpc import Server

_log = logs.get()
_STALE: Final = 90.0
_EVERY: Final = 2.0


class Watch:
    """Reports SERVING while the broker, if there is one, is connected and every consumer has heard from it lately."""

    def __init__(self, bus: Bus | None, workers: Sequence[Any], server: Server, clock: Clock | None = None) -> None:
        self._bus = bus
        self._workers = workers
        self._server = server
        self._clock = clock or SystemClock()
        self._ready = True

    async def run(self) -> None:
        """Looks every two seconds, until it is cancelled."""
        while True:
            await asyncio.sleep(_EVERY)
            connected = self._bus is None or self._bus.connected
            ready = connected and not self._stale()
            if ready != self._ready:
                self._ready = ready
                _log.warning("service_health", serving=ready, connected=connected)
                await self._server.serving(ready)

    def _stale(self) -> bool:
        now = self._clock.monotonic()
        return any(now - getattr(worker, "last_fetch", now) > _STALE for worker in self._workers)
