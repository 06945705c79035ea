"""The messages that a consumer has in hand, one task each."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from gyeol.chassis.bus.delivery import Delivery

_MOMENT: Final = 0.002
_MOMENTS: Final = 5


class Hand:
    """Holds so many messages at once, and a few more when a fetch brings them.

    Args:
      slots: Messages in work at once.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._held: dict[asyncio.Task[None], Delivery] = {}
        self._freed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def free(self) -> int:
        """Free slots; negative when a fetch brought more than was asked for."""
        return self._slots - len(self._held)

    @property
    def deliveries(self) -> list[Delivery]:
        return list(self._held.values())

    def take(self, delivery: Delivery, work: Coroutine[Any, Any, None]) -> None:
        """Starts to work on a message."""
        task = asyncio.create_task(work)
        self._held[task] = delivery
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        del self._held[task]
        self._freed.set()

    async def room(self) -> None:
        """Waits for a free slot, then a moment for more: fetching one message costs the broker as much as many."""
        if self.free > 0:
            return
        self._freed.clear()
        await self._freed.wait()
        for _ in range(_MOMENTS):
            if self.free * 2 >= self._slots:
                break
            await asyncio.sleep(_MOMENT)

    def wake(self) -> None:
        """Ends the wait for room."""
        self._freed.set()

    async def empty(self, seconds: float) -> int:
        """Waits until everything is done; cancels what is not after so many seconds.

        Returns:
          How many had to be cancelled.
        """
        if not self._held:
            return 0
        _, late = await asyncio.wait(self._held, timeout=seconds)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=1)
        return len(late)
