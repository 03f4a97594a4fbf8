"""The tables of the API, beside those of the store, so that several servers on one PostgreSQL share them."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

# A request that was sent with an `Idempotency-Key`: without a status it runs, or its answer is not kept.
requests = sa.Table(
    "api_requests",
    metadata,
    sa.Column("principal", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),  # seconds since 1970
    sa.Column("status", sa.Integer),
    sa.Column("media_type", sa.Text),
    sa.Column("body", sa.LargeBinary),
)

# Attributes of comments:analyze that an admin registered.
attributes = sa.Table(
    "api_attributes",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("inverted", sa.Boolean, nullable=False),
)

_POSTGRES_LOCK = 0x61706974  # "apit": two processes must not make the tables at once


def create(connection: sa.Connection) -> None:
    """Create the tables that are missing."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
    metadata.create_all(connection)
