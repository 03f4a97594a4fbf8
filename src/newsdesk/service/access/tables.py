"""The tables of people and tokens, beside those of the store, so that several servers on one PostgreSQL share them.

A token is never stored, only its SHA-256: tokens have 256 random bits, so that a fast hash cannot be searched.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

# `campaign` and `name` of an annotator are those of the store; admins have no campaign. A session is valid for its `generation` alone.
people = sa.Table(
    "access_people",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("campaign", sa.Text, nullable=False, default=""),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("generation", sa.Integer, nullable=False, default=0),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("revoked_at", sa.Text),
    sa.CheckConstraint("role IN ('admin', 'annotator')", name="access_people_role"),
    sa.UniqueConstraint("role", "campaign", "name"),
)

# An `admin` token signs an admin in once; an `invitation` signs its person in as often as wanted, or without a person lets
# anybody join the open campaign; a `key` is for programs and has scopes.
tokens = sa.Table(
    "access_tokens",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("hashed", sa.Text, nullable=False, unique=True),
    sa.Column("person_id", sa.ForeignKey("access_people.id")),
    sa.Column("campaign", sa.Text),
    sa.Column("label", sa.Text, nullable=False, default=""),
    sa.Column("scopes", sa.Text, nullable=False, default=""),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("used_at", sa.Text),
    sa.Column("revoked_at", sa.Text),
    sa.CheckConstraint("kind IN ('admin', 'invitation', 'key')", name="access_tokens_kind"),
)

_POSTGRES_LOCK = 0x61636373  # "accs": two processes must not make the tables at once


def create(connection: sa.Connection) -> None:
    """Create the tables that are missing."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
    metadata.create_all(connection)
