"""The graph of what was made from what, read from the tables as it is asked for."""

from __future__ import annotations

import json
import re
from typing import Any

from sqlalchemy import and_, exists, func, select

from gyeol.ledger.domain.node import Key, Node
from gyeol.ledger.domain.run import review_of
from gyeol.ledger.domain.triplet import Review
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.edge import (
    CITED,
    Query,
    artifact,
    citation,
    dataset,
    datasets,
    keys_of,
    made_from,
    members,
    no_input_of,
    no_output_of,
    statutes,
    text,
    triplet,
    users_of,
)

_ARTICLE = re.compile(r"law:(?P<law>.+?)(?:\s+(?P<article>제\s?\d+조(?:의\s?\d+)?))?")


class SqlGraph:
    """The `Graph` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, name: str) -> Key | None:
        law = _ARTICLE.fullmatch(name)
        if law:
            article = re.sub(r"\s", "", law["article"] or "")
            return await self._first(statutes(citation.law == law["law"].strip(), citation.article == article))
        policies = select(triplet.policy_digest).order_by(triplet.policy_version.desc(), triplet.accepted_at.desc())
        runs = select(schema.run.c.id).order_by(schema.run.c.created_at.desc())
        for query in (
            keys_of("run", runs.where(schema.run.c.id == name)),
            keys_of("dataset", select(dataset.digest).where(dataset.digest == name)),
            select(artifact.kind, artifact.digest).where(artifact.digest == name),
            select(text("triplet"), triplet.triplet_id, triplet.run_id).where(triplet.triplet_id == name),
            keys_of("policy", policies.where(triplet.policy_digest == name)),
            keys_of("policy", policies.where(triplet.policy_id == name)),
            select(text("seed"), triplet.record_id, triplet.run_id).where(triplet.record_id == name),
            keys_of("run", runs.where(schema.run.c.name == name)),
        ):
            found = await self._first(query)
            if found is not None:
                return found
        return None

    async def origins(self, key: Key, limit: int) -> tuple[list[Key], int]:
        match key.kind:
            case "run":
                return await self._of_run(key.id, limit, no_output_of)
            case "dataset":
                mine = dataset.digest == key.id
                policies = keys_of(
                    "policy",
                    members(triplet.policy_digest)
                    .where(mine)
                    .group_by(triplet.policy_digest)
                    .order_by(triplet.policy_digest),
                )
                triplets = (
                    members(text("triplet"), triplet.triplet_id, triplet.run_id)
                    .where(mine)
                    .order_by(triplet.triplet_id)
                )
                return await self._several(limit, policies, triplets)
            case "triplet":
                this = and_(triplet.triplet_id == key.id, triplet.run_id == key.within)
                return await self._several(
                    limit,
                    select(text("seed"), triplet.record_id, triplet.run_id).where(this),
                    keys_of("policy", select(triplet.policy_digest).where(this)),
                    statutes(this),
                )
            case "policy":
                return await self._several(limit, statutes(triplet.policy_digest == key.id))
            case "seed" | "statute" | "unknown":
                return [], 0
            case _:
                inputs = (
                    select(made_from.input)
                    .where(made_from.digest == key.id)
                    .group_by(made_from.input)
                    .order_by(func.min(made_from.position))
                )
                found, count = await self._several(limit, keys_of("unknown", inputs))
                return [await self.find(source.id) or source for source in found], count

    async def effects(self, key: Key, limit: int) -> tuple[list[Key], int]:
        match key.kind:
            case "run":
                return await self._of_run(key.id, limit, no_input_of)
            case "statute":
                law, _, article = key.id.removeprefix("law:").rpartition(" ")
                cited = exists().where(CITED, citation.law == law, citation.article == article)
                return await self._several(limit, *users_of(cited))
            case "policy":
                return await self._several(limit, *users_of(triplet.policy_digest == key.id))
            case "seed":
                of_seed = and_(triplet.record_id == key.id, triplet.run_id == key.within)
                return await self._several(
                    limit, select(text("triplet"), triplet.triplet_id, triplet.run_id).where(of_seed)
                )
            case "triplet":
                this = and_(triplet.triplet_id == key.id, triplet.run_id == key.within)
                return await self._several(limit, datasets(this))
            case _:
                made = (
                    select(made_from.kind, made_from.digest)
                    .where(made_from.input == key.id, made_from.kind != "dataset")
                    .distinct()
                )
                return await self._several(limit, made.order_by(made_from.kind, made_from.digest))

    async def node(self, key: Key) -> Node:
        async with self._database.read() as connection:
            match key.kind:
                case "run":
                    row = (await connection.execute(select(schema.run).where(schema.run.c.id == key.id))).one()
                    return Node(
                        key, row.name, {"specification": row.spec_digest, "created": row.created_at.isoformat()}
                    )
                case "dataset":
                    row = (
                        await connection.execute(select(schema.dataset).where(dataset.digest == key.id).limit(1))
                    ).one()
                    facts = {"rows": str(row.rows), "benign": str(row.benign_rows), "run": row.run_id}
                    return Node(key, row.location, facts | {"law as of": json.loads(row.manifest_json)["law_as_of"]})
                case "triplet" | "seed":
                    column = triplet.triplet_id if key.kind == "triplet" else triplet.record_id
                    query = select(schema.triplet).where(column == key.id, triplet.run_id == key.within).limit(1)
                    row = (await connection.execute(query)).one()
                    facts = {"run": row.run_id, "stratum": row.stratum, "kind": row.kind}
                    if key.kind == "triplet":
                        stored = select(schema.run.c.spec_json).where(schema.run.c.id == row.run_id)
                        facts["review"] = _review(row.review, await connection.scalar(stored))
                    return Node(key, f"{row.stratum} {row.category}", facts)
                case "policy":
                    query = select(triplet.policy_id, triplet.policy_version, func.count()).where(
                        triplet.policy_digest == key.id
                    )
                    grouped = query.group_by(triplet.policy_id, triplet.policy_version).limit(1)
                    name, version, count = (await connection.execute(grouped)).one()
                    return Node(key, f"{name} v{version}", {"triplets": str(count)})
                case "statute":
                    law, _, article = key.id.removeprefix("law:").rpartition(" ")
                    cited = select(func.count()).where(citation.law == law, citation.article == article)
                    return Node(key, f"{law} {article}".strip(), {"cited by": str(await connection.scalar(cited))})
                case "unknown":
                    return Node(key, "not recorded in this ledger")
                case _:
                    artifacts = select(schema.artifact).where(artifact.digest == key.id, artifact.kind == key.kind)
                    row = (await connection.execute(artifacts.order_by(artifact.created_at).limit(1))).one()
                    return Node(key, row.location, {"run": row.run_id, "created": row.created_at.isoformat()})

    async def _of_run(self, run_id: str, limit: int, end: Any) -> tuple[list[Key], int]:
        """The ends of a run's artifacts; before there are any, its dataset, and before that its triplets."""
        for query in (
            select(artifact.kind, artifact.digest)
            .where(artifact.run_id == run_id, end())
            .order_by(artifact.created_at, artifact.digest),
            select(text("triplet"), triplet.triplet_id, triplet.run_id)
            .where(triplet.run_id == run_id)
            .order_by(triplet.triplet_id),
        ):
            keys, count = await self._several(limit, query)
            if keys:
                return keys, count
        return [], 0

    async def _first(self, query: Query) -> Key | None:
        keys, _ = await self._several(1, query)
        return keys[0] if keys else None

    async def _several(self, limit: int, *queries: Query) -> tuple[list[Key], int]:
        """The first keys of several queries one after the other, and the number of all."""
        keys: list[Key] = []
        total = 0
        async with self._database.read() as connection:
            for query in queries:
                rows = await connection.execute(query.limit(max(limit - len(keys), 0)))
                keys += [Key(*row) for row in rows]
                counted = select(func.count()).select_from(query.order_by(None).subquery())
                total += int(await connection.scalar(counted) or 0)
        return keys, total


def _review(stored: str, spec_json: str | None) -> str:
    """What became of the review; a run that asks for none leaves nothing pending."""
    asked = spec_json is not None and review_of(spec_json) != "None"
    return stored if asked or stored != Review.PENDING.value else "not asked for"
