"""What a database error means: an unusable state of the storage, or our own fault."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from gyeol.ledger.errors import StorageDamagedError, StorageNotReadyError

_SQLITE = {
    "database is locked": "another process holds the database",
    "database table is locked": "another process holds the database",
    "database or disk is full": "the disk, or the size set by LEDGER_MAX_MEGABYTES, is full",
    "disk i/o error": "the disk reports an error",
    "readonly database": "the database file cannot be written",
    "unable to open database file": "the database file cannot be opened",
}

_DAMAGED = ("file is not a database", "database disk image is malformed")

_POSTGRES_CLASSES = {
    "08": "the connection to PostgreSQL broke",
    "53": "PostgreSQL is out of a resource (disk, memory or connections)",
    "57": "PostgreSQL is shutting down or starting",
    "58": "PostgreSQL reports a system error",
    "40": "PostgreSQL gave up one of two transactions that blocked each other",
    "25": "PostgreSQL accepts no writes",
    "28": "PostgreSQL refuses the user or the password",
    "3D": "the PostgreSQL database does not exist",
}
"""SQLSTATE classes that pass by themselves or by an operator's hand."""

_REMEDY = "Nothing was stored; free space or end what holds the database, and the work is tried again."


@contextlib.contextmanager
def storage_failure(place: str) -> Iterator[None]:
    """Turns a database error that can pass into `StorageNotReadyError`, a damaged file into its own; others go through."""
    try:
        yield
    except DBAPIError as error:
        if any(sign in str(error.orig).lower() for sign in _DAMAGED):
            raise StorageDamagedError(place) from error
        problem = _problem(error)
        if problem is None:
            raise
        raise StorageNotReadyError(problem, _REMEDY) from error
    except PoolTimeoutError as error:
        raise StorageNotReadyError("every connection is in use", _REMEDY) from error
    except (ConnectionError, OSError, TimeoutError) as error:
        raise StorageNotReadyError(f"the database cannot be reached ({type(error).__name__})", _REMEDY) from error


def _problem(error: DBAPIError) -> str | None:
    state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    if state:
        return _POSTGRES_CLASSES.get(str(state)[:2])
    if error.connection_invalidated:
        return "the connection to the database broke"
    text = str(error.orig).lower()
    return next((problem for sign, problem in _SQLITE.items() if sign in text), None)
