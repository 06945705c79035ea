"""Each test of the store and above runs on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from gyeol.ledger.store.database import Database
from gyeol.ledger.store.migration import migrate
from support.nats import nats  # noqa: F401
from support.postgres import PostgresServer, postgres  # noqa: F401


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs_postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.database()


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A migrated database of each kind."""
    opened = Database(database_url)
    await migrate(opened)
    yield opened
    await opened.close()
