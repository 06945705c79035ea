"""Events into tables: one transaction per group, every statement idempotent and independent of order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import case
from sqlalchemy.sql.schema import Table

from gyeol.ledger.domain.event import Acceptance, Drop, Entry, Failure, StageDone
from gyeol.ledger.domain.record import Marks
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database


class SqlBooks:
    """The `Books` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        insert = database.insert(schema.record)
        new, old = insert.excluded, schema.record.c
        self._merge = insert.on_conflict_do_update(
            index_elements=["run_id", "record_id"],
            set_={
                "stratum": case((old.stratum == "", new.stratum), else_=old.stratum),
                "completed": old.completed.op("|")(new.completed),
                "dropped": old.dropped.op("|")(new.dropped),
                "failed": old.failed.op("|")(new.failed),
            },
        )
        self._add = {table: database.insert_new(table) for table in _EVENT_TABLES}

    async def write(self, entries: Sequence[Entry]) -> None:
        rows = _rows(entries)
        records = _records(entries)
        async with self._database.write() as connection:
            for table, statement in self._add.items():
                if rows[table]:
                    await connection.execute(statement, rows[table])
            await connection.execute(self._merge, records)


_EVENT_TABLES = (
    schema.stage,
    schema.triplet,
    schema.citation,
    schema.drop,
    schema.failure,
    schema.rejected_text,
)


def _records(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """One row per record, sorted, so that two writers never wait for each other crosswise."""
    merged: dict[tuple[str, str], tuple[str, Marks]] = {}
    for entry in entries:
        key = (entry.run_id, entry.record_id)
        stratum, marks = merged.get(key, ("", Marks()))
        merged[key] = (stratum or entry.stratum, marks | entry.marks)
    return [
        {
            "run_id": run_id,
            "record_id": record_id,
            "stratum": stratum,
            "completed": marks.completed,
            "dropped": marks.dropped,
            "failed": marks.failed,
        }
        for (run_id, record_id), (stratum, marks) in sorted(merged.items())
    ]


def _rows(entries: Sequence[Entry]) -> dict[Table, list[dict[str, Any]]]:
    rows: dict[Table, list[dict[str, Any]]] = {table: [] for table in _EVENT_TABLES}
    for entry in sorted(entries, key=lambda entry: (entry.run_id, entry.record_id)):
        key = {"run_id": entry.run_id, "record_id": entry.record_id}
        match entry:
            case StageDone():
                rows[schema.stage].append(
                    {
                        **key,
                        "stage": entry.stage,
                        "output_digest": entry.output_digest,
                        "calls": entry.calls,
                        "cached_calls": entry.cached_calls,
                    }
                )
            case Acceptance():
                rows[schema.triplet].append(key | _triplet(entry))
                rows[schema.citation] += [
                    {**key, "law": cited.law, "article": cited.article, "verdict": cited.verdict}
                    for cited in entry.citations
                ]
                rows[schema.rejected_text].append(
                    {**key, "origin": "triplet", "stage": "judge", "content": entry.apart}
                )
            case Drop():
                rows[schema.drop].append(
                    {
                        **key,
                        "stage": entry.stage,
                        "stratum": entry.stratum,
                        "reason": entry.reason,
                        "dropped_at": entry.dropped_at,
                        "payload": entry.payload,
                    }
                )
                if entry.apart:
                    rows[schema.rejected_text].append(
                        {**key, "origin": "drop", "stage": entry.stage, "content": entry.apart}
                    )
            case Failure():
                rows[schema.failure].append(
                    {
                        **key,
                        "stage": entry.stage,
                        "stratum": entry.stratum,
                        "failed_at": entry.failed_at,
                        "payload": entry.payload,
                    }
                )
                if entry.apart:
                    rows[schema.rejected_text].append(
                        {**key, "origin": "failure", "stage": entry.stage, "content": entry.apart}
                    )
    return rows


def _triplet(entry: Acceptance) -> dict[str, Any]:
    return {
        "triplet_id": entry.triplet_id,
        "stratum": entry.stratum,
        "category": entry.category,
        "kind": entry.kind,
        "question": entry.question,
        "policy_id": entry.policy_id,
        "policy_version": entry.policy_version,
        "policy_digest": entry.policy_digest,
        "disputed": entry.disputed,
        "accepted_at": entry.accepted_at,
        "review": "pending",
        "reviewer": "",
        "comment": "",
        "overlaps_with": "",
        "payload": entry.payload,
    }
