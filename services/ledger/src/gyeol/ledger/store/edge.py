"""Queries for the edges of lineage: what belongs to, cites or was made from what."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, literal, select

from gyeol.ledger.store import schema

Query = Select[*tuple[Any, ...]]

triplet = schema.triplet.c
citation = schema.citation.c
member = schema.dataset_row.c
dataset = schema.dataset.c
artifact = schema.artifact.c
made_from = schema.artifact_input.c

CITED = and_(citation.run_id == triplet.run_id, citation.record_id == triplet.record_id)
MEMBER = and_(member.run_id == triplet.run_id, member.triplet_id == triplet.triplet_id)


def text(value: str) -> ColumnElement[str]:
    return literal(value)


def keys_of(kind: str, ids: Query) -> Query:
    """Keys of one kind from a query for ids."""
    return ids.with_only_columns(text(kind), *ids.selected_columns)


def members(*columns: Any) -> Query:
    return (
        select(*columns)
        .select_from(schema.triplet)
        .join(schema.dataset_row, MEMBER)
        .join(schema.dataset, dataset.run_id == member.run_id)
    )


def datasets(triplets: ColumnElement[bool]) -> Query:
    digests = (
        members(dataset.digest).where(triplets, dataset.digest != "").group_by(dataset.digest).order_by(dataset.digest)
    )
    return keys_of("dataset", digests)


def users_of(triplets: ColumnElement[bool]) -> tuple[Query, Query]:
    """Datasets first and completely: nobody may miss a model because its triplets are among those left out."""
    listed = select(text("triplet"), triplet.triplet_id, triplet.run_id).where(triplets).order_by(triplet.triplet_id)
    return datasets(triplets), listed


def statutes(*conditions: ColumnElement[bool]) -> Query:
    """Statutes that triplets cite, the most cited first."""
    name = text("law:") + citation.law + " " + citation.article
    query = select(text("statute"), name).select_from(schema.citation).join(schema.triplet, CITED).where(*conditions)
    return query.group_by(citation.law, citation.article).order_by(func.count().desc(), citation.law, citation.article)


def no_output_of() -> ColumnElement[bool]:
    """Artifacts that nothing else of their run was made from."""
    return ~exists().where(made_from.run_id == artifact.run_id, made_from.input == artifact.digest)


def no_input_of() -> ColumnElement[bool]:
    """Artifacts made from nothing else of their run."""
    other = schema.artifact.alias()
    return ~exists().where(
        made_from.run_id == artifact.run_id,
        made_from.kind == artifact.kind,
        made_from.digest == artifact.digest,
        other.c.run_id == artifact.run_id,
        other.c.digest == made_from.input,
    )
