"""What was begun for a caller is carried to its end, also when the caller is gone before it.

A task that is cancelled in the middle of a transaction can leave its SQLite connection behind with the write lock: the driver
closes it in a task that nobody holds. Every later write then waits for a lock whose owner nobody knows any more.
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
