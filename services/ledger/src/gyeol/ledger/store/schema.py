"""The tables. One definition serves SQLite and PostgreSQL; `migrations/` brings a database to it.

Rejected text has a table of its own (`rejected_text`), so that no query over records can return it by accident.
Events arrive in any order, also before their run is registered: nothing refers to `run` by a foreign key.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.types import TypeDecorator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Instant(TypeDecorator[datetime]):
    """A moment in UTC, stored as microseconds since 1970: the same number in both databases."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else _EPOCH + timedelta(microseconds=value)


metadata = MetaData()

run = Table(
    "run",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("spec_json", Text, nullable=False),
    Column("spec_digest", Text, nullable=False),
    Column("status_json", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index("run_by_age", "created_at", "id"),
)

record = Table(
    "record",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True),
    Column("stratum", Text, nullable=False),
    Column("completed", Integer, nullable=False),
    Column("dropped", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Index("record_by_standing", "run_id", "stratum", "completed", "dropped", "failed"),
    sqlite_with_rowid=False,
)
"""One row per record: the marks of its events (`domain.record`)."""

stage = Table(
    "stage",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True),
    Column("stage", Text, primary_key=True),
    Column("output_digest", Text, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("cached_calls", Integer, nullable=False),
    sqlite_with_rowid=False,
)

triplet = Table(
    "triplet",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True),
    Column("triplet_id", Text, nullable=False),
    Column("stratum", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("policy_id", Text, nullable=False),
    Column("policy_version", Integer, nullable=False),
    Column("policy_digest", Text, nullable=False),
    Column("disputed", Boolean, nullable=False),
    Column("accepted_at", Instant, nullable=False),
    Column("review", Text, nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("overlaps_with", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Index("triplet_by_id", "run_id", "triplet_id"),
    Index("triplet_anywhere", "triplet_id"),
    Index("triplet_by_policy", "policy_digest"),
)
"""`payload` is the proto without rejected text; `review` is `pending`, `approved` or `rejected`."""

citation = Table(
    "citation",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True),
    Column("law", Text, primary_key=True),
    Column("article", Text, primary_key=True),
    Column("verdict", Text, nullable=False),
    Index("citation_by_article", "law", "article"),
    sqlite_with_rowid=False,
)
"""Articles that the chosen answer of a triplet cites."""

drop = Table(
    "drop",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True),
    Column("stage", Text, primary_key=True),
    Column("stratum", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("dropped_at", Instant, nullable=False),
    Column("payload", LargeBinary, nullable=False),
)

failure = Table(
    "failure",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True),
    Column("stage", Text, primary_key=True),
    Column("stratum", Text, nullable=False),
    Column("failed_at", Instant, nullable=False),
    Column("payload", LargeBinary, nullable=False),
)

rejected_text = Table(
    "rejected_text",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record_id", Text, primary_key=True),
    Column("origin", Text, primary_key=True),
    Column("stage", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)
"""Harmful text and evidence; `origin` is `triplet`, `drop` or `failure`."""

access = Table(
    "access",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False),
    Column("record_id", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index("access_by_record", "run_id", "record_id"),
)
"""Who reviewed, commented or read what, when. Rows are only ever added."""

budget = Table(
    "budget",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("money_limit", Text),
    Column("token_limit", BigInteger),
    Column("currency", Text, nullable=False),
    Column("money_reserved", Text, nullable=False),
    Column("money_settled", Text, nullable=False),
    Column("tokens_reserved", BigInteger, nullable=False),
    Column("tokens_settled", BigInteger, nullable=False),
)
"""Money is a decimal string: SQLite has no decimal type and a float would lose cents."""

reservation = Table(
    "reservation",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("reservation_id", Text, primary_key=True),
    Column("tokens", BigInteger, nullable=False),
    Column("money", Text),
    Column("settled", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

dataset = Table(
    "dataset",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("location", Text, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("benign_rows", BigInteger, nullable=False),
    Column("manifest_json", Text, nullable=False),
    Column("conditions_json", Text, nullable=False),
    Column("sealed_at", Instant),
    Index("dataset_by_digest", "digest"),
)
"""A row without `sealed_at` is being sealed: its members are fixed, its files are not written yet."""

dataset_row = Table(
    "dataset_row",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("triplet_id", Text, primary_key=True),
    Column("record_id", Text, nullable=False),
    Index("dataset_row_by_triplet", "triplet_id"),
    sqlite_with_rowid=False,
)

artifact = Table(
    "artifact",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("location", Text, nullable=False),
    Column("manifest_json", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index("artifact_by_digest", "digest"),
)

artifact_input = Table(
    "artifact_input",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("input", Text, nullable=False),
    Index("artifact_input_by_input", "input"),
)

metric = Table(
    "metric",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("step", BigInteger, primary_key=True),
    Column("value", Double),
    sqlite_with_rowid=False,
)
"""`value` is null where the job measured no finite number."""
