"""The tables of a store, the same on SQLite and PostgreSQL, and the schema version.

Tasks, targets and slots are numbered within their campaign and task, so that a campaign is written without querying ids. Judgments are
append-only: a correction is a new row, the highest `seq` of a key wins, and triggers refuse updates and deletes. What follows from
other tables (item, control) is not stored again with a judgment.
"""

from __future__ import annotations

import sqlalchemy as sa

from newsdesk.errors import FileError

VERSION = 1
FORMAT = 1  # of a campaign: how its protocol, orders and values are written

metadata = sa.MetaData()

versions = sa.Table("newsdesk_schema", metadata, sa.Column("version", sa.Integer, nullable=False))

campaigns = sa.Table(
    "campaigns",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("protocol", sa.Text, nullable=False),
    sa.Column("per_item", sa.Integer, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("open", sa.Boolean, nullable=False),
    sa.Column("secret", sa.Text, nullable=False),
)

tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("item", sa.Text, nullable=False),
    sa.Column("context", sa.Text, nullable=False),
    sa.UniqueConstraint("campaign_id", "name"),
)

targets = sa.Table(
    "targets",
    metadata,
    sa.Column("campaign_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("task", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("answer", sa.Text),
    sa.ForeignKeyConstraint(["campaign_id", "task"], ["tasks.campaign_id", "tasks.number"]),
)

annotators = sa.Table(
    "annotators",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("hashed", sa.Text, nullable=False),
    sa.Column("excluded_at", sa.Text),
    sa.Column("reason", sa.Text),
    sa.UniqueConstraint("campaign_id", "name"),
    sa.UniqueConstraint("campaign_id", "hashed"),
)

# `pool`: free for whoever asks; a claim of it can be released, unlike a slot that was assigned to somebody by name.
# An annotator stands at most once at a task, void slots included: nobody answers the same task for two people.
slots = sa.Table(
    "slots",
    metadata,
    sa.Column("campaign_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("task", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id")),
    sa.Column("pool", sa.Boolean, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("targets", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("claimed_at", sa.Text),
    sa.ForeignKeyConstraint(["campaign_id", "task"], ["tasks.campaign_id", "tasks.number"]),
    sa.CheckConstraint("state IN ('open', 'claimed', 'done', 'void')", name="slots_state"),
    sa.UniqueConstraint("campaign_id", "task", "annotator_id"),
    sa.Index("slots_of_annotator", "campaign_id", "annotator_id", "state", "position"),
)

# The next slot that nobody holds is the first entry here. Only an index of its own has them in order: PostgreSQL does not take
# IS NULL for one value of a wider index.
sa.Index(
    "slots_in_pool",
    slots.c.campaign_id,
    slots.c.state,
    slots.c.position,
    slots.c.task,
    postgresql_where=slots.c.annotator_id.is_(None),
    sqlite_where=slots.c.annotator_id.is_(None),
)

judgments = sa.Table(
    "judgments",
    metadata,
    # SQLite numbers rows only where the type is called INTEGER; it has 64 bits there all the same.
    sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("campaign_id", sa.Integer, nullable=False),
    sa.Column("task", sa.Integer, nullable=False),
    sa.Column("target", sa.Integer, nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("shown", sa.Text),
    sa.Column("at", sa.Text),
    sa.Column("seconds", sa.Double),
    sa.Column("via", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(
        ["campaign_id", "task", "target"],
        ["targets.campaign_id", "targets.task", "targets.number"],
    ),
    # The order in which judgments are read, and how the last row of a key is found.
    sa.Index(
        "judgments_by_key", "campaign_id", "task", "target", "annotator_id", "question", "seq"
    ),
    sqlite_autoincrement=True,
)

_SQLITE_TRIGGERS = tuple(
    f"CREATE TRIGGER judgments_no_{verb} BEFORE {verb} ON judgments "
    "BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END"
    for verb in ("update", "delete")
)
_POSTGRES_TRIGGERS = (
    "CREATE FUNCTION newsdesk_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'judgments are append-only'; END $$",
    "CREATE TRIGGER judgments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON judgments "
    "FOR EACH STATEMENT EXECUTE FUNCTION newsdesk_append_only()",
)
_POSTGRES_LOCK = 0x6E657773  # "news": two processes must not make the tables at once


def version_of(connection: sa.Connection) -> int | None:
    """The schema version of the database; None if it has no newsdesk tables."""
    tables = set(sa.inspect(connection).get_table_names())
    if versions.name in tables:
        return int(connection.execute(sa.select(versions.c.version)).scalar_one())
    if foreign := sorted(tables & metadata.tables.keys()):
        raise FileError(f"the database has a table {foreign[0]!r} of another program; use your own")
    return None


def create(connection: sa.Connection) -> None:
    """Create the tables, unless another process has created them meanwhile."""
    postgres = connection.dialect.name == "postgresql"
    if postgres:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
    if version_of(connection) is not None:
        return
    metadata.create_all(connection, checkfirst=False)
    for statement in _POSTGRES_TRIGGERS if postgres else _SQLITE_TRIGGERS:
        connection.exec_driver_sql(statement)
    connection.execute(versions.insert().values(version=VERSION))


def analyze(connection: sa.Connection) -> None:
    """Update PostgreSQL's table statistics after a bulk write, so that it plans well at once instead of after autovacuum."""
    if connection.dialect.name == "postgresql":
        for name in metadata.tables:
            connection.exec_driver_sql(f"ANALYZE {name}")


def check(version: int) -> None:
    """Refuse a schema that a newer newsdesk created."""
    if version > VERSION:
        raise FileError(
            f"the store has schema {version} and this newsdesk knows {VERSION}: upgrade newsdesk"
        )
