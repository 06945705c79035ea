"""Alembic's entry: works on the connection that `gyeol.ledger.store.migration` opened and commits."""

from alembic import context

from gyeol.ledger.store.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
