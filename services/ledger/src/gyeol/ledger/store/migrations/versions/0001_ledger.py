"""The first schema of the ledger."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "access",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("access_by_record", "access", ["run_id", "record_id"], unique=False)
    op.create_table(
        "artifact",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("manifest_json", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "kind", "digest"),
    )
    op.create_index("artifact_by_digest", "artifact", ["digest"], unique=False)
    op.create_table(
        "artifact_input",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "kind", "digest", "position"),
    )
    op.create_index("artifact_input_by_input", "artifact_input", ["input"], unique=False)
    op.create_table(
        "budget",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("money_limit", sa.Text(), nullable=True),
        sa.Column("token_limit", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("money_reserved", sa.Text(), nullable=False),
        sa.Column("money_settled", sa.Text(), nullable=False),
        sa.Column("tokens_reserved", sa.BigInteger(), nullable=False),
        sa.Column("tokens_settled", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_table(
        "citation",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("law", sa.Text(), nullable=False),
        sa.Column("article", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "record_id", "law", "article"),
        sqlite_with_rowid=False,
    )
    op.create_index("citation_by_article", "citation", ["law", "article"], unique=False)
    op.create_table(
        "dataset",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("benign_rows", sa.BigInteger(), nullable=False),
        sa.Column("manifest_json", sa.Text(), nullable=False),
        sa.Column("conditions_json", sa.Text(), nullable=False),
        sa.Column("sealed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_index("dataset_by_digest", "dataset", ["digest"], unique=False)
    op.create_table(
        "dataset_row",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("triplet_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "triplet_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("dataset_row_by_triplet", "dataset_row", ["triplet_id"], unique=False)
    op.create_table(
        "drop",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("dropped_at", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "record_id", "stage"),
    )
    op.create_table(
        "failure",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "record_id", "stage"),
    )
    op.create_table(
        "metric",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("run_id", "name", "step"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "record",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("completed", sa.Integer(), nullable=False),
        sa.Column("dropped", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "record_id"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "record_by_standing", "record", ["run_id", "stratum", "completed", "dropped", "failed"], unique=False
    )
    op.create_table(
        "rejected_text",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "record_id", "origin", "stage"),
    )
    op.create_table(
        "reservation",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("reservation_id", sa.Text(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("money", sa.Text(), nullable=True),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "reservation_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec_json", sa.Text(), nullable=False),
        sa.Column("spec_digest", sa.Text(), nullable=False),
        sa.Column("status_json", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("run_by_age", "run", ["created_at", "id"], unique=False)
    op.create_table(
        "stage",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("output_digest", sa.Text(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("cached_calls", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "record_id", "stage"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "triplet",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("triplet_id", sa.Text(), nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("policy_id", sa.Text(), nullable=False),
        sa.Column("policy_version", sa.Integer(), nullable=False),
        sa.Column("policy_digest", sa.Text(), nullable=False),
        sa.Column("disputed", sa.Boolean(), nullable=False),
        sa.Column("accepted_at", sa.BigInteger(), nullable=False),
        sa.Column("review", sa.Text(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("overlaps_with", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "record_id"),
    )
    op.create_index("triplet_anywhere", "triplet", ["triplet_id"], unique=False)
    op.create_index("triplet_by_id", "triplet", ["run_id", "triplet_id"], unique=False)
    op.create_index("triplet_by_policy", "triplet", ["policy_digest"], unique=False)


def downgrade() -> None:
    op.drop_index("triplet_by_policy", table_name="triplet")
    op.drop_index("triplet_by_id", table_name="triplet")
    op.drop_index("triplet_anywhere", table_name="triplet")
    op.drop_table("triplet")
    op.drop_table("stage")
    op.drop_index("run_by_age", table_name="run")
    op.drop_table("run")
    op.drop_table("reservation")
    op.drop_table("rejected_text")
    op.drop_index("record_by_standing", table_name="record")
    op.drop_table("record")
    op.drop_table("metric")
    op.drop_table("failure")
    op.drop_table("drop")
    op.drop_index("dataset_row_by_triplet", table_name="dataset_row")
    op.drop_table("dataset_row")
    op.drop_index("dataset_by_digest", table_name="dataset")
    op.drop_table("dataset")
    op.drop_index("citation_by_article", table_name="citation")
    op.drop_table("citation")
    op.drop_table("budget")
    op.drop_index("artifact_input_by_input", table_name="artifact_input")
    op.drop_table("artifact_input")
    op.drop_index("artifact_by_digest", table_name="artifact")
    op.drop_table("artifact")
    op.drop_index("access_by_record", table_name="access")
    op.drop_table("access")
