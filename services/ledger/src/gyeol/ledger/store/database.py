"""One door to SQLite or PostgreSQL.

SQLite runs in WAL mode with `synchronous=NORMAL`: a killed process loses nothing, a power cut may lose the last commits, which
the broker then delivers again only if they were not acknowledged; `durable` closes that window at a price.
SQLite has one writer. Writers of this process queue on a lock here; against other processes there is the busy time-out.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.sql import Insert
from sqlalchemy.sql.schema import Table

from gyeol.ledger.errors import FieldInvalidError
from gyeol.ledger.store.failure import storage_failure

_PAGE_BYTES = 4096


class Database:
    """Transactions on one database.

    Args:
      url: `sqlite+aiosqlite:///path` or `postgresql+asyncpg://...`.
      max_megabytes: SQLite only: size that the file may not outgrow, so that it never fills its volume.
      durable: SQLite only: survive a power cut (`synchronous=FULL`).
      busy_seconds: How long to wait for another process that writes.
    """

    def __init__(
        self, url: str, *, max_megabytes: int | None = None, durable: bool = False, busy_seconds: float = 5.0
    ) -> None:
        self.url = parsed_url(url)
        self._place = self.url.render_as_string(hide_password=True)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writing: contextlib.AbstractAsyncContextManager[Any] = (
            asyncio.Lock() if self.is_sqlite else contextlib.nullcontext()
        )
        if self.is_sqlite:
            self.engine = create_async_engine(
                self.url, pool_size=3, max_overflow=2, connect_args={"timeout": busy_seconds}
            )
            pragmas = {
                "journal_mode": "WAL",
                "synchronous": "FULL" if durable else "NORMAL",
                "cache_size": "-8192",
                "temp_store": "MEMORY",
                "journal_size_limit": str(16 * 2**20),
            }
            if max_megabytes is not None:
                pragmas["max_page_count"] = str(max_megabytes * 2**20 // _PAGE_BYTES)
            _prepare_sqlite(self.engine.sync_engine, pragmas)
        else:
            self.engine = create_async_engine(
                self.url, pool_size=8, max_overflow=8, pool_pre_ping=True, pool_timeout=busy_seconds
            )

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """The database as of one moment, however many queries follow.

        Raises:
          StorageNotReadyError: The database is locked, full or away.
          StorageDamagedError: The file is no database.
        """
        with storage_failure(self._place):
            async with self.engine.connect() as connection:
                if not self.is_sqlite:
                    await connection.execution_options(isolation_level="REPEATABLE READ")
                yield connection

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is committed at the end of the block, and not at all when the block raises.

        Raises:
          StorageNotReadyError: The database is locked, full or away; nothing was stored.
          StorageDamagedError: The file is no database; nothing was stored.
        """
        with storage_failure(self._place):
            async with self._writing, self.engine.connect() as connection:
                await connection.execution_options(gyeol_writes=True)
                async with connection.begin():
                    yield connection

    def insert(self, table: Table) -> Any:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def insert_new(self, table: Table) -> Insert:
        """An INSERT that leaves an existing row alone."""
        statement: Insert = self.insert(table).on_conflict_do_nothing()
        return statement

    async def close(self) -> None:
        await self.engine.dispose()


def parsed_url(url: str) -> URL:
    """The URL with its asynchronous driver.

    Raises:
      FieldInvalidError: It is no URL, or of a database that is not supported.
    """
    remedy = "Use sqlite:////absolute/path.db or postgresql://user:password@host/name."
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise FieldInvalidError("LEDGER_DATABASE_URL", "(hidden)", "not a database URL", remedy) from None
    drivers = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
    backend = parsed.get_backend_name()
    if backend not in drivers:
        raise FieldInvalidError("LEDGER_DATABASE_URL", backend, "no such database here", remedy)
    return parsed.set(drivername=drivers[backend])


def _prepare_sqlite(engine: Any, pragmas: dict[str, str]) -> None:
    @event.listens_for(engine, "connect")
    def connected(dbapi_connection: Any, _record: Any) -> None:
        # The driver must not open transactions on its own: BEGIN below says of which kind they are.
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        for name, value in pragmas.items():
            cursor.execute(f"PRAGMA {name}={value}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def began(connection: Any) -> None:
        # A reader that turns into a writer can fail with "locked" without waiting; a writer says so at once.
        writes = connection.get_execution_options().get("gyeol_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
