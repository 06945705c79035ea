"""What was begun for a caller is carried to its end, also when the caller is gone before it.

A task that is cancelled in the middle of a transaction gives up its turn among the writers at once, while its connection may
hold SQLite's lock still: the driver rolls back and closes on the side. Others were seen to wait 20 seconds for such a lock.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import Any


class Completing:
    """A servicer whose answers are worked out in tasks of their own. Streams go through as they are.

    Args:
      servicer: The servicer.
    """

    def __init__(self, servicer: object) -> None:
        self._servicer = servicer
        self._tasks: set[asyncio.Task[Any]] = set()

    def __getattr__(self, method: str) -> Any:
        behaviour = getattr(self._servicer, method)
        if inspect.iscoroutinefunction(behaviour):
            return functools.partial(self._completed, behaviour)
        return behaviour

    async def _completed(self, behaviour: Any, request: Any, context: Any) -> Any:
        task = asyncio.ensure_future(behaviour(request, context))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # its caller was told, or is gone
