"""What is to be looked at, and when. A key is looked at by one worker at a time, and once for any number of reasons."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Queue(Generic[K]):
    """Keys by the time at which they are due; the earliest reason wins."""

    def __init__(self) -> None:
        self._due: dict[K, float] = {}
        self._heap: list[tuple[float, int, K]] = []
        self._count = 0
        self._busy: set[K] = set()
        self._changed = asyncio.Condition()
        self._wakers: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._due)

    def add(self, key: K, delay: float = 0.0) -> None:
        """Has a key looked at after `delay` seconds, or earlier if that was asked for already."""
        due = asyncio.get_running_loop().time() + max(0.0, delay)
        if key in self._due and self._due[key] <= due:
            return
        self._due[key] = due
        self._count += 1
        heapq.heappush(self._heap, (due, self._count, key))
        self._wake()

    def discard(self, key: K) -> None:
        self._due.pop(key, None)

    async def get(self) -> K:
        """The next key that is due. Call `done` afterwards."""
        loop = asyncio.get_running_loop()
        async with self._changed:
            while True:
                wait = self._next(loop.time())
                if wait is not None and not isinstance(wait, float):
                    return wait[0]
                try:
                    async with asyncio.timeout(wait):
                        await self._changed.wait()
                except TimeoutError:
                    continue

    def done(self, key: K) -> None:
        """Lets the key be looked at again."""
        self._busy.discard(key)
        if key in self._due:
            self._count += 1
            heapq.heappush(self._heap, (self._due[key], self._count, key))
        self._wake()

    def _next(self, now: float) -> tuple[K] | float | None:
        """A key that is due, the seconds until one is, or None when there is none."""
        while self._heap:
            due, _, key = self._heap[0]
            if self._due.get(key) != due or key in self._busy:
                heapq.heappop(self._heap)  # done with, asked for anew, or in work: `done` brings it back
                continue
            if due > now:
                return due - now
            heapq.heappop(self._heap)
            del self._due[key]
            self._busy.add(key)
            return (key,)
        return None

    def _wake(self) -> None:
        async def notify() -> None:
            async with self._changed:
                self._changed.notify_all()

        task = asyncio.ensure_future(notify())
        self._wakers.add(task)
        task.add_done_callback(self._wakers.discard)
