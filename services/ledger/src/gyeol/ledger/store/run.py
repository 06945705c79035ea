"""Runs and their books in tables."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, false, func, or_, select, update

from gyeol.ledger.domain.account import Books, DropGroup, Group
from gyeol.ledger.domain.budget import Limits, Spending
from gyeol.ledger.domain.page import Page
from gyeol.ledger.domain.record import REVIEW, SEAL, Marks
from gyeol.ledger.domain.run import Run
from gyeol.ledger.store import schema
from gyeol.ledger.store.budget import budget_row, limits_from_row, spending_from_row
from gyeol.ledger.store.database import Database


class SqlRuns:
    """The `RunRepository` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, run: Run, limits: Limits) -> Run:
        """Stores a run and its budget unless the id exists; returns what is stored."""
        async with self._database.write() as connection:
            values = {
                "id": run.id,
                "name": run.name,
                "spec_json": run.spec_json,
                "spec_digest": run.spec_digest,
                "status_json": run.status_json,
                "created_at": run.created_at,
            }
            await connection.execute(self._database.insert_new(schema.run), values)
            await connection.execute(self._database.insert_new(schema.budget), budget_row(run.id, limits, Spending()))
            stored = (await connection.execute(select(schema.run).where(schema.run.c.id == run.id))).one()
            return _run(stored)

    async def get(self, run_id: str) -> Run | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(schema.run).where(schema.run.c.id == run_id))).one_or_none()
            return None if row is None else _run(row)

    async def newest(self, page: Page) -> list[Run]:
        """Newest first, one more than the page holds when there are more."""
        table = schema.run.c
        query = select(schema.run).order_by(table.created_at.desc(), table.id.desc()).limit(page.size + 1)
        if page.after:
            moment, run_id = page.after
            query = query.where(or_(table.created_at < moment, and_(table.created_at == moment, table.id < run_id)))
        async with self._database.read() as connection:
            return [_run(row) for row in await connection.execute(query)]

    async def set_status(self, run_id: str, status_json: str) -> bool:
        """Stores the status unless it is stored already; False when there is no such run."""
        table = schema.run.c
        async with self._database.read() as connection:
            stored = await connection.scalar(select(table.status_json).where(table.id == run_id))
        if stored is None or stored == status_json:
            return stored is not None
        async with self._database.write() as connection:
            await connection.execute(update(schema.run).where(table.id == run_id).values(status_json=status_json))
        return True

    async def books(self, run_id: str, *, awaited: str) -> Books:
        """Everything stored about a run's records, as of one moment."""
        async with self._database.read() as connection:
            groups = [
                Group(stratum, Marks(completed, dropped, failed), count)
                for stratum, completed, dropped, failed, count in await connection.execute(_groups(run_id))
            ]
            drops = [
                DropGroup(stage, reason, Marks(completed, dropped, failed), count)
                for stage, reason, completed, dropped, failed, count in await connection.execute(_drop_groups(run_id))
            ]
            calls = (await connection.execute(_calls(run_id))).one()
            row = (await connection.execute(select(schema.budget).where(schema.budget.c.run_id == run_id))).one()
            waiting = await connection.scalar(_awaiting_review(run_id, awaited))
        return Books(
            groups, drops, int(calls[0]), int(calls[1]), limits_from_row(row), spending_from_row(row), int(waiting or 0)
        )


def _groups(run_id: str) -> Select[Any]:
    table = schema.record.c
    keys = (table.stratum, table.completed, table.dropped, table.failed)
    return select(*keys, func.count()).where(table.run_id == run_id).group_by(*keys)


def _drop_groups(run_id: str) -> Select[Any]:
    drop, record = schema.drop.c, schema.record.c
    keys = (drop.stage, drop.reason, record.completed, record.dropped, record.failed)
    return (
        select(*keys, func.count())
        .select_from(schema.drop)
        .join(schema.record, and_(record.run_id == drop.run_id, record.record_id == drop.record_id))
        .where(drop.run_id == run_id)
        .group_by(*keys)
    )


def _calls(run_id: str) -> Select[Any]:
    table = schema.stage.c
    paid, cached = func.coalesce(func.sum(table.calls), 0), func.coalesce(func.sum(table.cached_calls), 0)
    return select(paid, cached).where(table.run_id == run_id)


def _awaiting_review(run_id: str, awaited: str) -> Select[Any]:
    triplet, record = schema.triplet.c, schema.record.c
    query = (
        select(func.count())
        .select_from(schema.triplet)
        .join(schema.record, and_(record.run_id == triplet.run_id, record.record_id == triplet.record_id))
        .where(triplet.run_id == run_id, triplet.review == "pending")
        .where(record.dropped.op("&")(REVIEW | SEAL) == 0)
    )
    match awaited:
        case "All":
            return query
        case "Disagreements":
            return query.where(triplet.disputed)
        case _:
            return query.where(false())


def _run(row: Any) -> Run:
    return Run(row.id, row.name, row.spec_json, row.spec_digest, row.status_json, row.created_at)
