"""The graph of what was made from what, read from the tables as it is asked for."""

from __future__ import annotations

import json
import re
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, literal, select

from gyeol.ledger.domain.node import Key, Node
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database

_ARTICLE = re.compile(r"law:(?P<law>.+?)(?:\s+(?P<article>제\s?\d+조(?:의\s?\d+)?))?")

Query = Select[*tuple[Any, ...]]

_T = schema.triplet.c
_C = schema.citation.c
_M = schema.dataset_row.c
_D = schema.dataset.c
_A = schema.artifact.c
_I = schema.artifact_input.c

_CITED = and_(_C.run_id == _T.run_id, _C.record_id == _T.record_id)
_MEMBER = and_(_M.run_id == _T.run_id, _M.triplet_id == _T.triplet_id)


class SqlGraph:
    """The `Graph` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, name: str) -> Key | None:
        law = _ARTICLE.fullmatch(name)
        if law:
            article = re.sub(r"\s", "", law["article"] or "")
            return await self._first(_statutes(_C.law == law["law"].strip(), _C.article == article))
        policies = select(_T.policy_digest).order_by(_T.policy_version.desc(), _T.accepted_at.desc())
        runs = select(schema.run.c.id).order_by(schema.run.c.created_at.desc())
        for query in (
            _keys("run", runs.where(schema.run.c.id == name)),
            _keys("dataset", select(_D.digest).where(_D.digest == name)),
            select(_A.kind, _A.digest).where(_A.digest == name),
            select(_text("triplet"), _T.triplet_id, _T.run_id).where(_T.triplet_id == name),
            _keys("policy", policies.where(_T.policy_digest == name)),
            _keys("policy", policies.where(_T.policy_id == name)),
            select(_text("seed"), _T.record_id, _T.run_id).where(_T.record_id == name),
            _keys("run", runs.where(schema.run.c.name == name)),
        ):
            found = await self._first(query)
            if found is not None:
                return found
        return None

    async def origins(self, key: Key, limit: int) -> tuple[list[Key], int]:
        match key.kind:
            case "run":
                return await self._of_run(key.id, limit, _no_output_of)
            case "dataset":
                mine = _D.digest == key.id
                policies = _keys(
                    "policy",
                    _members(_T.policy_digest).where(mine).group_by(_T.policy_digest).order_by(_T.policy_digest),
                )
                triplets = _members(_text("triplet"), _T.triplet_id, _T.run_id).where(mine).order_by(_T.triplet_id)
                return await self._several(limit, policies, triplets)
            case "triplet":
                this = and_(_T.triplet_id == key.id, _T.run_id == key.within)
                return await self._several(
                    limit,
                    select(_text("seed"), _T.record_id, _T.run_id).where(this),
                    _keys("policy", select(_T.policy_digest).where(this)),
                    _statutes(this),
                )
            case "policy":
                return await self._several(limit, _statutes(_T.policy_digest == key.id))
            case "seed" | "statute" | "unknown":
                return [], 0
            case _:
                inputs = select(_I.input).where(_I.digest == key.id).group_by(_I.input).order_by(func.min(_I.position))
                found, count = await self._several(limit, _keys("unknown", inputs))
                return [await self.find(source.id) or source for source in found], count

    async def effects(self, key: Key, limit: int) -> tuple[list[Key], int]:
        match key.kind:
            case "run":
                return await self._of_run(key.id, limit, _no_input_of)
            case "statute":
                law, _, article = key.id.removeprefix("law:").rpartition(" ")
                cited = exists().where(_CITED, _C.law == law, _C.article == article)
                return await self._several(limit, *_users_of(cited))
            case "policy":
                return await self._several(limit, *_users_of(_T.policy_digest == key.id))
            case "seed":
                of_seed = and_(_T.record_id == key.id, _T.run_id == key.within)
                return await self._several(limit, select(_text("triplet"), _T.triplet_id, _T.run_id).where(of_seed))
            case "triplet":
                this = and_(_T.triplet_id == key.id, _T.run_id == key.within)
                return await self._several(limit, _datasets(this))
            case _:
                made = select(_I.kind, _I.digest).where(_I.input == key.id, _I.kind != "dataset").distinct()
                return await self._several(limit, made.order_by(_I.kind, _I.digest))

    async def node(self, key: Key) -> Node:
        async with self._database.read() as connection:
            match key.kind:
                case "run":
                    row = (await connection.execute(select(schema.run).where(schema.run.c.id == key.id))).one()
                    return Node(
                        key, row.name, {"specification": row.spec_digest, "created": row.created_at.isoformat()}
                    )
                case "dataset":
                    row = (await connection.execute(select(schema.dataset).where(_D.digest == key.id).limit(1))).one()
                    facts = {"rows": str(row.rows), "benign": str(row.benign_rows), "run": row.run_id}
                    return Node(key, row.location, facts | {"law as of": json.loads(row.manifest_json)["law_as_of"]})
                case "triplet" | "seed":
                    column = _T.triplet_id if key.kind == "triplet" else _T.record_id
                    query = select(schema.triplet).where(column == key.id, _T.run_id == key.within).limit(1)
                    row = (await connection.execute(query)).one()
                    facts = {"run": row.run_id, "stratum": row.stratum, "kind": row.kind}
                    return Node(
                        key,
                        f"{row.stratum} {row.category}",
                        facts | ({"review": row.review} if key.kind == "triplet" else {}),
                    )
                case "policy":
                    query = select(_T.policy_id, _T.policy_version, func.count()).where(_T.policy_digest == key.id)
                    grouped = query.group_by(_T.policy_id, _T.policy_version).limit(1)
                    name, version, count = (await connection.execute(grouped)).one()
                    return Node(key, f"{name} v{version}", {"triplets": str(count)})
                case "statute":
                    law, _, article = key.id.removeprefix("law:").rpartition(" ")
                    cited = select(func.count()).where(_C.law == law, _C.article == article)
                    return Node(key, f"{law} {article}".strip(), {"cited by": str(await connection.scalar(cited))})
                case "unknown":
                    return Node(key, "not recorded in this ledger")
                case _:
                    artifacts = select(schema.artifact).where(_A.digest == key.id, _A.kind == key.kind)
                    row = (await connection.execute(artifacts.order_by(_A.created_at).limit(1))).one()
                    return Node(key, row.location, {"run": row.run_id, "created": row.created_at.isoformat()})

    async def _of_run(self, run_id: str, limit: int, end: Any) -> tuple[list[Key], int]:
        """The ends of a run's artifacts; before there are any, its dataset, and before that its triplets."""
        for query in (
            select(_A.kind, _A.digest).where(_A.run_id == run_id, end()).order_by(_A.created_at, _A.digest),
            select(_text("triplet"), _T.triplet_id, _T.run_id).where(_T.run_id == run_id).order_by(_T.triplet_id),
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


def _text(value: str) -> ColumnElement[str]:
    return literal(value)


def _keys(kind: str, ids: Query) -> Query:
    """Keys of one kind from a query for ids."""
    return ids.with_only_columns(_text(kind), *ids.selected_columns)


def _members(*columns: Any) -> Query:
    return (
        select(*columns)
        .select_from(schema.triplet)
        .join(schema.dataset_row, _MEMBER)
        .join(schema.dataset, _D.run_id == _M.run_id)
    )


def _datasets(triplets: ColumnElement[bool]) -> Query:
    digests = _members(_D.digest).where(triplets, _D.digest != "").group_by(_D.digest).order_by(_D.digest)
    return _keys("dataset", digests)


def _users_of(triplets: ColumnElement[bool]) -> tuple[Query, Query]:
    """Datasets first and completely: nobody may miss a model because its triplets are among those left out."""
    listed = select(_text("triplet"), _T.triplet_id, _T.run_id).where(triplets).order_by(_T.triplet_id)
    return _datasets(triplets), listed


def _statutes(*conditions: ColumnElement[bool]) -> Query:
    """Statutes that triplets cite, the most cited first."""
    name = _text("law:") + _C.law + " " + _C.article
    query = select(_text("statute"), name).select_from(schema.citation).join(schema.triplet, _CITED).where(*conditions)
    return query.group_by(_C.law, _C.article).order_by(func.count().desc(), _C.law, _C.article)


def _no_output_of() -> ColumnElement[bool]:
    """Artifacts that nothing else of their run was made from."""
    return ~exists().where(_I.run_id == _A.run_id, _I.input == _A.digest)


def _no_input_of() -> ColumnElement[bool]:
    """Artifacts made from nothing else of their run."""
    other = schema.artifact.alias()
    return ~exists().where(
        _I.run_id == _A.run_id,
        _I.kind == _A.kind,
        _I.digest == _A.digest,
        other.c.run_id == _A.run_id,
        other.c.digest == _I.input,
    )
