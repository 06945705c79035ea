"""Triplets, drops and failures in tables."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, func, literal, or_, select, union_all, update

from gyeol.ledger.domain.page import Page
from gyeol.ledger.domain.record import REVIEW, Marks
from gyeol.ledger.domain.triplet import (
    Access,
    DropFilter,
    Loss,
    RejectedText,
    Review,
    StoredTriplet,
    TripletFilter,
)
from gyeol.ledger.errors import RunSealedError
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database

_T = schema.triplet.c


class SqlRecords:
    """The `RecordRepository` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def triplets(self, run_id: str, wanted: TripletFilter, page: Page) -> tuple[list[StoredTriplet], int]:
        """By triplet id, one more than the page holds when there are more; and how many there are in all."""
        matching = _matching(run_id, wanted)
        query = select(schema.triplet).where(*matching).order_by(_T.triplet_id, _T.record_id).limit(page.size + 1)
        if page.after:
            triplet_id, record_id = page.after
            query = query.where(
                or_(_T.triplet_id > triplet_id, and_(_T.triplet_id == triplet_id, _T.record_id > record_id))
            )
        async with self._database.read() as connection:
            rows = [_triplet(row) for row in await connection.execute(query)]
            total = await connection.scalar(select(func.count()).select_from(schema.triplet).where(*matching))
            return rows, int(total or 0)

    async def triplet(self, run_id: str, triplet_id: str) -> StoredTriplet | None:
        query = _one(run_id, triplet_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
            return None if row is None else _triplet(row)

    async def losses(self, run_id: str, wanted: DropFilter, page: Page) -> list[Loss]:
        """Drops and failures, newest first, one more than the page holds when there are more."""
        drops = _losses(schema.drop, schema.drop.c.dropped_at, "drop", run_id, wanted)
        if wanted.reason:
            lost = drops.where(schema.drop.c.reason == wanted.reason).subquery()
        else:
            failures = _losses(schema.failure, schema.failure.c.failed_at, "failure", run_id, wanted)
            lost = union_all(drops, failures).subquery()
        order = (lost.c.at.desc(), lost.c.record_id, lost.c.stage, lost.c.origin)
        query = select(lost).order_by(*order).limit(page.size + 1)
        if page.after:
            at, *rest = page.after
            later = (lost.c.record_id, lost.c.stage, lost.c.origin)
            query = query.where(or_(lost.c.at < at, and_(lost.c.at == at, _after(later, tuple(rest)))))
        async with self._database.read() as connection:
            return [
                Loss(
                    row.origin,
                    row.record_id,
                    row.stage,
                    row.at,
                    Marks(row.completed, row.dropped, row.failed),
                    row.payload,
                )
                for row in await connection.execute(query)
            ]

    async def review(self, run_id: str, triplet_id: str, review: Review | None, access: Access) -> StoredTriplet | None:
        """Sets the review, or only adds a comment; None when there is no such triplet.

        Raises:
          RunSealedError: The run's dataset is fixed.
        """
        async with self._database.write() as connection:
            run = schema.run.c.id == run_id
            await connection.execute(select(schema.run.c.id).where(run).with_for_update())
            row = (await connection.execute(_one(run_id, triplet_id))).one_or_none()
            if row is None:
                return None
            fixed = await connection.scalar(select(schema.dataset.c.run_id).where(schema.dataset.c.run_id == run_id))
            if review is not None and fixed is not None:
                raise RunSealedError(run_id)
            this = and_(_T.run_id == run_id, _T.record_id == row.record_id)
            values: dict[str, Any] = {"reviewer": access.person, "comment": access.comment}
            if review is not None:
                values["review"] = review.value
                record = schema.record.c
                mark = record.dropped.op("&")(~REVIEW)
                if review is Review.REJECTED:
                    mark = record.dropped.op("|")(REVIEW)
                await connection.execute(
                    update(schema.record)
                    .where(record.run_id == run_id, record.record_id == row.record_id)
                    .values(dropped=mark)
                )
            await connection.execute(update(schema.triplet).where(this).values(**values))
            await connection.execute(schema.access.insert(), access_row(run_id, row.record_id, access))
            return _triplet((await connection.execute(select(schema.triplet).where(this))).one())

    async def history(self, run_id: str, record_id: str) -> list[Access]:
        """Oldest first."""
        table = schema.access.c
        query = select(schema.access).where(table.run_id == run_id, table.record_id == record_id).order_by(table.id)
        async with self._database.read() as connection:
            return [_access(row) for row in await connection.execute(query)]

    async def accesses(self, run_id: str, page: Page) -> list[Access]:
        """Newest first, one more than the page holds when there are more."""
        table = schema.access.c
        query = select(schema.access).where(table.run_id == run_id).order_by(table.id.desc()).limit(page.size + 1)
        if page.after:
            query = query.where(table.id < page.after[0])
        async with self._database.read() as connection:
            return [_access(row) for row in await connection.execute(query)]

    async def reveal(self, run_id: str, record_id: str, access: Access) -> list[RejectedText]:
        """Reads rejected text and writes down who read it, in one transaction; empty when there is none."""
        table = schema.rejected_text.c
        query = select(schema.rejected_text).where(table.run_id == run_id, table.record_id == record_id)
        async with self._database.write() as connection:
            texts = [
                RejectedText(row.origin, row.stage, row.content)
                for row in await connection.execute(query.order_by(table.origin.desc(), table.stage))
            ]
            if texts:
                await connection.execute(schema.access.insert(), access_row(run_id, record_id, access))
            return texts


def access_row(run_id: str, record_id: str, access: Access) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "record_id": record_id,
        "action": access.action,
        "person": access.person,
        "comment": access.comment,
        "at": access.at,
    }


def _access(row: Any) -> Access:
    return Access(row.action, row.person, row.comment, row.at, row.record_id, row.id)


def _one(run_id: str, triplet_id: str) -> Select[Any]:
    return (
        select(schema.triplet).where(_T.run_id == run_id, _T.triplet_id == triplet_id).order_by(_T.record_id).limit(1)
    )


def _matching(run_id: str, wanted: TripletFilter) -> list[Any]:
    conditions = [_T.run_id == run_id]
    if wanted.category:
        conditions.append(_T.category == wanted.category)
    if wanted.stratum:
        conditions.append(_T.stratum == wanted.stratum)
    if wanted.kind:
        conditions.append(_T.kind == wanted.kind)
    if wanted.review is not None:
        conditions.append(_T.review == wanted.review.value)
    if wanted.disputed_only:
        conditions.append(_T.disputed)
    if wanted.query:
        conditions.append(_T.question.icontains(wanted.query, autoescape=True))
    return conditions


def _losses(table: Any, at: Any, origin: str, run_id: str, wanted: DropFilter) -> Select[Any]:
    record = schema.record.c
    query = (
        select(
            literal(origin).label("origin"),
            table.c.record_id,
            table.c.stage,
            at.label("at"),
            table.c.payload,
            record.completed,
            record.dropped,
            record.failed,
        )
        .join(schema.record, and_(record.run_id == table.c.run_id, record.record_id == table.c.record_id))
        .where(table.c.run_id == run_id)
    )
    if wanted.stage:
        query = query.where(table.c.stage == wanted.stage)
    if wanted.stratum:
        query = query.where(table.c.stratum == wanted.stratum)
    return query


def _after(columns: tuple[Any, ...], values: tuple[str, ...]) -> Any:
    """Lexicographic `columns > values`."""
    column, value = columns[0], values[0]
    if len(columns) == 1:
        return column > value
    return or_(column > value, and_(column == value, _after(columns[1:], values[1:])))


def _triplet(row: Any) -> StoredTriplet:
    return StoredTriplet(
        run_id=row.run_id,
        record_id=row.record_id,
        triplet_id=row.triplet_id,
        stratum=row.stratum,
        review=Review(row.review),
        reviewer=row.reviewer,
        comment=row.comment,
        overlaps_with=row.overlaps_with,
        payload=row.payload,
    )
