"""Artifacts and training metrics in tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlalchemy import and_, select

from gyeol.ledger.domain.artifact import Artifact, MetricPoint
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database


class SqlArtifacts:
    """The `ArtifactRepository` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, artifact: Artifact) -> None:
        """Stores an artifact unless the run has it."""
        key = {"run_id": artifact.run_id, "kind": artifact.kind, "digest": artifact.digest}
        row = {
            **key,
            "location": artifact.location,
            "manifest_json": artifact.manifest_json,
            "created_at": artifact.created_at,
        }
        inputs = [{**key, "position": position, "input": digest} for position, digest in enumerate(artifact.inputs)]
        async with self._database.write() as connection:
            stored = await connection.execute(self._database.insert_new(schema.artifact), row)
            if stored.rowcount and inputs:
                await connection.execute(self._database.insert_new(schema.artifact_input), inputs)

    async def find(self, run_id: str, kind: str) -> list[Artifact]:
        """Oldest first; an empty run or kind lets all pass."""
        table, inputs = schema.artifact.c, schema.artifact_input.c
        wanted = [table.run_id == run_id] if run_id else []
        wanted += [table.kind == kind] if kind else []
        query = select(schema.artifact).where(*wanted).order_by(table.created_at, table.digest)
        join = and_(inputs.run_id == table.run_id, inputs.kind == table.kind, inputs.digest == table.digest)
        sources = select(schema.artifact_input).join(schema.artifact, join).where(*wanted).order_by(inputs.position)
        made_from: dict[tuple[str, str, str], list[str]] = {}
        async with self._database.read() as connection:
            for row in await connection.execute(sources):
                made_from.setdefault((row.run_id, row.kind, row.digest), []).append(row.input)
            return [
                Artifact(
                    kind=row.kind,
                    digest=row.digest,
                    run_id=row.run_id,
                    location=row.location,
                    inputs=tuple(made_from.get((row.run_id, row.kind, row.digest), ())),
                    manifest_json=row.manifest_json,
                    created_at=row.created_at,
                )
                for row in await connection.execute(query)
            ]

    async def add_metrics(self, run_id: str, points: Sequence[MetricPoint]) -> None:
        """Stores points; a job that resumed measures a step again and the newer value stands."""
        insert = self._database.insert(schema.metric)
        statement = insert.on_conflict_do_update(
            index_elements=["run_id", "name", "step"], set_={"value": insert.excluded.value}
        )
        rows = [
            {
                "run_id": run_id,
                "name": point.name,
                "step": point.step,
                "value": point.value if math.isfinite(point.value) else None,
            }
            for point in points
        ]
        async with self._database.write() as connection:
            await connection.execute(statement, rows)

    async def metrics(self, run_id: str, name: str) -> list[MetricPoint]:
        """By name and step; an empty name lets all pass."""
        table = schema.metric.c
        query = select(schema.metric).where(table.run_id == run_id).order_by(table.name, table.step)
        if name:
            query = query.where(table.name == name)
        async with self._database.read() as connection:
            return [
                MetricPoint(row.step, row.name, math.nan if row.value is None else row.value)
                for row in await connection.execute(query)
            ]
