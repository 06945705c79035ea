"""Brings a database to the schema of this release when the ledger starts.

Two ledgers may start at once: each works inside one transaction that the other waits for, and the second finds nothing to do.
An empty database gets the tables as they are now; an older one is led through the migrations. Only the latter needs Alembic,
which a running ledger would otherwise carry along for nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Final

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text

from gyeol.ledger.errors import FieldInvalidError, StorageNotReadyError
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.schema import metadata

REVISION: Final = "0001"
"""The newest revision in `migrations/versions`."""

VERSION: Final = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""The table in which Alembic keeps the revision."""

_LOCK: Final = 0x67796C67
"""Key of the advisory lock in PostgreSQL."""

_ATTEMPTS: Final = 20


async def migrate(database: Database) -> None:
    """Creates or upgrades the tables.

    Raises:
      FieldInvalidError: A newer ledger has been at this database.
      StorageNotReadyError: The database is away, or somebody else keeps it locked.
    """
    for _ in range(_ATTEMPTS if database.is_sqlite else 0):
        # Turning a new SQLite file into WAL mode fails at once, without the busy time-out, while a twin does the same.
        with contextlib.suppress(StorageNotReadyError):
            await _migrate(database)
            return
        await asyncio.sleep(0.1)
    await _migrate(database)


async def _migrate(database: Database) -> None:
    async with database.read() as connection:
        if await connection.run_sync(_revision) == REVISION:
            return
    async with database.write() as connection:
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        revision = await connection.run_sync(_revision)
        if revision is None:
            await connection.run_sync(_create)
        elif revision != REVISION:
            await connection.run_sync(upgrade)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(select(VERSION.c.version_num))
    return revision


def _create(connection: Connection) -> None:
    metadata.create_all(connection)
    VERSION.create(connection)
    connection.execute(VERSION.insert(), {"version_num": REVISION})


def upgrade(connection: Connection) -> None:
    """Runs the migrations that are missing, in the caller's transaction.

    Raises:
      FieldInvalidError: The database has a revision that this release does not know.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise FieldInvalidError(
            "LEDGER_DATABASE_URL",
            _revision(connection),
            f"the database has a schema that this ledger (revision {REVISION}) cannot reach: {error}",
            "Run the newer ledger, or give this one a database of its own.",
        ) from None
