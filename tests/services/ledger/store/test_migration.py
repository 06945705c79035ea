"""Databases are brought to the schema of the release, also when two ledgers start at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, select, text

from gyeol.ledger.errors import FieldInvalidError
from gyeol.ledger.store import migration, schema
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.migration import REVISION, VERSION, migrate, upgrade


def _differences(connection: Connection) -> list[object]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, schema.metadata))


async def test_the_migrations_lead_to_the_tables_the_code_uses(database_url: str) -> None:
    database = Database(database_url)
    async with database.write() as connection:
        await connection.run_sync(upgrade)
        assert await connection.run_sync(_differences) == []
    await migrate(database)
    await database.close()


async def test_an_empty_database_gets_the_newest_tables_at_once(database: Database) -> None:
    async with database.read() as connection:
        assert await connection.run_sync(_differences) == []
        assert await connection.scalar(select(VERSION.c.version_num)) == REVISION


def test_the_revision_the_code_expects_is_the_newest() -> None:
    folder = Path(migration.__file__).parent / "migrations"
    config = Config()
    config.set_main_option("script_location", str(folder))
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION


async def test_ledgers_that_start_at_once_migrate_once(database_url: str) -> None:
    twins = [Database(database_url) for _ in range(4)]
    await asyncio.gather(*(migrate(twin) for twin in twins))
    async with twins[0].read() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1
        assert await connection.run_sync(_differences) == []
    for twin in twins:
        await twin.close()


async def test_a_database_of_a_newer_ledger_is_refused_with_the_remedy(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(FieldInvalidError, match=r"LEDGER_DATABASE_URL='9999'.*Run the newer ledger"):
        await migrate(database)
