"""Datasets in tables. Members are fixed in one transaction before the first file is written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, func, select, update

from gyeol.ledger.domain.dataset import Conditions, Dataset, Member
from gyeol.ledger.domain.record import REVIEW, SEAL
from gyeol.ledger.domain.triplet import Access
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.record import access_row

_CHUNK = 200
"""Members read at a time: a few MB."""


class SqlDatasets:
    """The `DatasetRepository` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, run_id: str) -> Dataset | None:
        query = select(schema.dataset).where(schema.dataset.c.run_id == run_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
            return None if row is None else _dataset(row)

    async def fix(self, run_id: str) -> Dataset | None:
        """Fixes the members: usable triplets, equal ones once. Idempotent; None when there are none."""
        triplet, record = schema.triplet.c, schema.record.c
        same = and_(record.run_id == triplet.run_id, record.record_id == triplet.record_id)
        usable = (
            select(triplet.run_id, triplet.triplet_id, func.min(triplet.record_id))
            .join(schema.record, same)
            .where(triplet.run_id == run_id, record.dropped.op("&")(REVIEW | SEAL) == 0)
            .group_by(triplet.run_id, triplet.triplet_id)
        )
        counted = select(func.count(), func.count(triplet.triplet_id.distinct())).join(schema.record, same)
        async with self._database.write() as connection:
            run = schema.run.c.id == run_id
            await connection.execute(select(schema.run.c.id).where(run).with_for_update())
            stored = (
                await connection.execute(select(schema.dataset).where(schema.dataset.c.run_id == run_id))
            ).one_or_none()
            if stored is not None:
                return _dataset(stored)
            kept = counted.where(triplet.run_id == run_id, record.dropped.op("&")(REVIEW | SEAL) == 0)
            total, distinct = (await connection.execute(kept)).one()
            if not distinct:
                return None
            refused = counted.where(triplet.run_id == run_id, record.dropped.op("&")(REVIEW) != 0)
            conditions = Conditions(
                {
                    "review": (await connection.execute(refused)).one()[0],
                    "duplicate": total - distinct,
                    "contaminated": 0,
                }
            )
            await connection.execute(
                schema.dataset_row.insert().from_select(["run_id", "triplet_id", "record_id"], usable)
            )
            row = {
                "run_id": run_id,
                "digest": "",
                "location": "",
                "rows": distinct,
                "benign_rows": 0,
                "manifest_json": "",
                "conditions_json": json.dumps(asdict(conditions)),
                "sealed_at": None,
            }
            await connection.execute(schema.dataset.insert(), row)
            return Dataset(run_id, "", "", distinct, 0, "", conditions)

    async def exclude(self, run_id: str, overlaps: Mapping[str, str], conditions: Conditions) -> None:
        """Takes members out again, by record id, with the evaluation item each overlaps with."""
        record, triplet, member = schema.record.c, schema.triplet.c, schema.dataset_row.c
        async with self._database.write() as connection:
            for record_id, item in overlaps.items():
                await connection.execute(
                    update(schema.triplet)
                    .where(triplet.run_id == run_id, triplet.record_id == record_id)
                    .values(overlaps_with=item)
                )
                await connection.execute(
                    update(schema.record)
                    .where(record.run_id == run_id, record.record_id == record_id)
                    .values(dropped=record.dropped.op("|")(SEAL))
                )
                await connection.execute(
                    delete(schema.dataset_row).where(member.run_id == run_id, member.record_id == record_id)
                )
            rows = await connection.scalar(
                select(func.count()).select_from(schema.dataset_row).where(member.run_id == run_id)
            )
            await connection.execute(
                update(schema.dataset)
                .where(schema.dataset.c.run_id == run_id)
                .values(rows=rows, conditions_json=json.dumps(asdict(conditions), ensure_ascii=False))
            )

    async def members(self, run_id: str) -> AsyncIterator[list[Member]]:
        """Members in order of triplet id, a few at a time."""
        member, triplet, text = schema.dataset_row.c, schema.triplet.c, schema.rejected_text.c
        query = (
            select(member.triplet_id, member.record_id, triplet.payload, text.content)
            .join(schema.triplet, and_(triplet.run_id == member.run_id, triplet.record_id == member.record_id))
            .join(
                schema.rejected_text,
                and_(text.run_id == member.run_id, text.record_id == member.record_id, text.origin == "triplet"),
            )
            .where(member.run_id == run_id)
            .order_by(member.triplet_id)
            .limit(_CHUNK)
        )
        last = ""
        while True:
            async with self._database.read() as connection:
                rows = [Member(*row) for row in await connection.execute(query.where(member.triplet_id > last))]
            if not rows:
                return
            yield rows
            last = rows[-1].triplet_id

    async def finish(self, dataset: Dataset, inputs: list[str], at: datetime) -> Dataset:
        """Stores the digest and the place, and the dataset as an artifact. What is stored already stands."""
        table = schema.dataset.c
        artifact = {
            "run_id": dataset.run_id,
            "kind": "dataset",
            "digest": dataset.digest,
            "location": dataset.location,
            "manifest_json": dataset.manifest_json,
            "created_at": at,
        }
        async with self._database.write() as connection:
            await connection.execute(
                update(schema.dataset)
                .where(table.run_id == dataset.run_id, table.digest == "")
                .values(
                    digest=dataset.digest,
                    location=dataset.location,
                    rows=dataset.rows,
                    benign_rows=dataset.benign_rows,
                    manifest_json=dataset.manifest_json,
                    sealed_at=at,
                )
            )
            added = await connection.execute(self._database.insert_new(schema.artifact), artifact)
            if added.rowcount and inputs:
                key = {name: artifact[name] for name in ("run_id", "kind", "digest")}
                await connection.execute(
                    self._database.insert_new(schema.artifact_input),
                    [{**key, "position": position, "input": digest} for position, digest in enumerate(inputs)],
                )
            row = (await connection.execute(select(schema.dataset).where(table.run_id == dataset.run_id))).one()
            return _dataset(row)

    async def log(self, run_id: str, access: Access) -> None:
        """Writes down who read the whole dataset."""
        async with self._database.write() as connection:
            await connection.execute(schema.access.insert(), access_row(run_id, "", access))


def _dataset(row: Any) -> Dataset:
    return Dataset(
        run_id=row.run_id,
        digest=row.digest,
        location=row.location,
        rows=row.rows,
        benign_rows=row.benign_rows,
        manifest_json=row.manifest_json,
        conditions=Conditions(**json.loads(row.conditions_json)),
    )
