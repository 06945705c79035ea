"""Writes events in groups: while one group is being committed the next one gathers.

A handler waits until its event is committed, so the door acknowledges only what is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

from gyeol.ledger.domain.event import Entry
from gyeol.ledger.errors import StorageNotReadyError

_LARGEST: Final = 1000
"""Entries of one transaction."""


class Books(Protocol):
    async def write(self, entries: Sequence[Entry]) -> None:
        """Stores all entries or none; an entry that is stored already changes nothing."""
        ...


class Journal:
    """The one writer of events."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._waiting: list[tuple[Entry, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def append(self, entry: Entry) -> None:
        """Returns once the entry is committed.

        Raises:
          StorageNotReadyError: The storage could not take it; nothing of it was stored.
        """
        committed = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, committed))
        if self._writing is None:
            self._writing = asyncio.create_task(self._drain())
        await committed

    async def _drain(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting[:_LARGEST], self._waiting[_LARGEST:]
                await self._commit(group)
        finally:
            self._writing = None

    async def _commit(self, group: list[tuple[Entry, asyncio.Future[None]]]) -> None:
        try:
            await self._books.write([entry for entry, _ in group])
        except Exception as error:
            if len(group) > 1 and not isinstance(error, StorageNotReadyError):
                # One entry that cannot be stored must not hold up the others.
                for one in group:
                    await self._commit([one])
                return
            for _, committed in group:
                if not committed.done():
                    committed.set_exception(error)
        else:
            for _, committed in group:
                if not committed.done():
                    committed.set_result(None)
