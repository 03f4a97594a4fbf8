"""The tables of a store, the same on SQLite and PostgreSQL, and the schema version.

Tasks, targets and slots are numbered within their campaign and task, so that a campaign is written without querying ids. Judgments are
append-only: a correction is a new row, the highest `seq` of a key wins, and triggers refuse updates and deletes. What follows from
other tables (item, control) is not stored again with a judgment. `seq` is also the revision of a cell: a judgment from a sheet has in
`base` the revision that its cell was written from, 0 for an empty cell. `conflicts` are answers of sheets that contradict newer ones.
Rows that were stored together have one random number in `submission`, which undo goes by: clocks repeat, run backwards and are missing.
`imports` has the files that were imported, and `import_id` of a judgment or a conflict the file that it came from.
`model_answers` has what models and programs answered, apart from what people did.

`gold` are answers that somebody decided on, apart from the votes, of each target and question the last; `notes` is what annotators note on a task.

Version 1 (newsdesk 0.1.0) has no `base`, `conflicts` and `articles`, version 2 no `submission`, version 3 no `imports`, version 4 no `gold`, `notes` and `model_answers`; they are migrated when they are opened
for writing, and read as they are where that is not possible. Letters are stored with the slots, so a migrated campaign keeps them.

Erasing articles is the one exception to append-only, for texts that must not be kept: their tasks with all texts, slots and judgments go from every campaign.
A task goes if its item is an article that is to be erased, or, where articles themselves are judged (protocol relate), one of its targets is. The triggers that
refuse deletes are set aside inside the same transaction. Afterwards the database is written anew: deleted rows stay readable in free pages and in logs otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import sqlalchemy as sa

from newsdesk.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

T = TypeVar("T")

VERSION = 5
WITH_ARTICLES = 2  # the version since which there are articles and conflicts
_WITH_SUBMISSIONS = 3
WITH_IMPORTS = 4
WITH_NOTES = 5  # gold answers, and what models answered
CHUNK = 500  # names or numbers in one IN (…), far below every limit
FORMAT = 2  # of a campaign: how its protocol, orders and values are written
SEALED_FORMAT = 2  # since which all sheets of a campaign have a seal

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
    sa.Column("base", sa.BigInteger),
    sa.Column("submission", sa.BigInteger),
    sa.Column("import_id", sa.Integer),
    sa.ForeignKeyConstraint(
        ["campaign_id", "task", "target"],
        ["targets.campaign_id", "targets.task", "targets.number"],
    ),
    # The order in which judgments are read, and how the last row of a key is found.
    sa.Index(
        "judgments_by_key", "campaign_id", "task", "target", "annotator_id", "question", "seq"
    ),
    sa.Index("judgments_of_import", "import_id"),
    sqlite_autoincrement=True,
)

# `answers`: a list of [target, question, value] of the whole task; `seen`: the revisions that the answers contradict.
conflicts = sa.Table(
    "conflicts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False),
    sa.Column("task", sa.Integer, nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("answers", sa.Text, nullable=False),
    sa.Column("seen", sa.Text, nullable=False),
    sa.Column("at", sa.Text),
    sa.Column("resolved", sa.Text),
    sa.Column("import_id", sa.Integer),
    sa.ForeignKeyConstraint(["campaign_id", "task"], ["tasks.campaign_id", "tasks.number"]),
    sa.CheckConstraint("resolved IN ('theirs', 'ours', 'superseded')", name="conflicts_resolved"),
    sa.Index("conflicts_of_task", "campaign_id", "task", "annotator_id"),
)

# A file that was imported: when, by whom, what it was, how many judgments came of it, and when it was taken back. `annotator` is that of a
# sheet; `seal` says whether it was sealed, not sealed (of an earlier version), or not sealed and trusted.
imports = sa.Table(
    "imports",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("sha256", sa.Text),
    sa.Column("annotator", sa.Text),
    sa.Column("seal", sa.Text),
    sa.Column("new", sa.Integer, nullable=False, default=0),
    sa.Column("corrected", sa.Integer, nullable=False, default=0),
    sa.Column("unchanged", sa.Integer, nullable=False, default=0),
    sa.Column("undone_at", sa.Text),
    sa.Column("undone_by", sa.Text),
    sa.CheckConstraint("seal IN ('sealed', 'unsealed', 'trusted')", name="imports_seal"),
)

gold = sa.Table(
    "gold",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("campaign_id", sa.Integer, nullable=False),
    sa.Column("task", sa.Integer, nullable=False),
    sa.Column("target", sa.Integer, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(
        ["campaign_id", "task", "target"],
        ["targets.campaign_id", "targets.task", "targets.number"],
    ),
    sa.Index("gold_of_task", "campaign_id", "task"),
)

notes = sa.Table(
    "notes",
    metadata,
    sa.Column("campaign_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("task", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["campaign_id", "task"], ["tasks.campaign_id", "tasks.number"]),
)

# What a model or a program answered to a task: in turn 0 as drawn, in turn 1 with the order turned round. `answers` is a list of [target, question, value], `shown`
# the letters by target, `fault` why there are no answers.
model_answers = sa.Table(
    "model_answers",
    metadata,
    sa.Column("campaign_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("task", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("judge", sa.Text, primary_key=True),
    sa.Column("turn", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("answers", sa.Text, nullable=False),
    sa.Column("shown", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("fault", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["campaign_id", "task"], ["tasks.campaign_id", "tasks.number"]),
)

# The text of an item's article, once for all tasks of the item.
articles = sa.Table(
    "articles",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True),
    sa.Column("item", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
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
# Version → the tables that it added.
_NEW_TABLES = {
    WITH_ARTICLES: ("articles", "conflicts"),
    WITH_IMPORTS: ("imports",),
    WITH_NOTES: ("gold", "notes", "model_answers"),
}
_POSTGRES_LOCK = 0x6E657773  # "news": two processes must not make the tables at once


def chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Split the values into lists of at most `size`."""
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk


def version_of(connection: sa.Connection) -> int | None:
    """Return the schema version of the database; None if it has no newsdesk tables."""
    tables = set(sa.inspect(connection).get_table_names())
    if versions.name in tables:
        return _stated_version(connection, tables)
    if foreign := sorted(tables & metadata.tables.keys()):
        raise FileError(f"the database has a table {foreign[0]!r} of another program; use your own")
    return None


def _stated_version(connection: sa.Connection, tables: set[str]) -> int:
    """Return the version that the store states; refuse an impossible one and missing tables."""
    columns = {column["name"] for column in sa.inspect(connection).get_columns(versions.name)}
    if "version" not in columns:
        raise FileError(f"the table {versions.name!r} is not one of newsdesk; use another database")
    stated = connection.execute(sa.select(sa.cast(versions.c.version, sa.Text))).scalars().all()
    version = int(stated[0]) if len(stated) == 1 and (stated[0] or "").isdecimal() else 0
    if version < 1:
        said = ", ".join(str(each) for each in stated[:3]) or "none"
        raise FileError(
            f"the store states the schema version {said}, which newsdesk never wrote; restore it from a copy"
        )
    known = metadata.tables.keys() - set(_added_after(version))
    if version <= VERSION and (missing := sorted(known - tables)):
        raise FileError(f"the store has no table {missing[0]!r}; restore it from a copy")
    return version


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


def migrate(connection: sa.Connection) -> None:
    """Migrate a store of an earlier version, unless another process has done so meanwhile."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
    version = version_of(connection)
    if version is None or version >= VERSION:
        return
    if version < WITH_ARTICLES:
        connection.exec_driver_sql("ALTER TABLE judgments ADD COLUMN base BIGINT")
    elif version < WITH_IMPORTS:  # a new table has it already
        connection.exec_driver_sql("ALTER TABLE conflicts ADD COLUMN import_id INTEGER")
    if version < _WITH_SUBMISSIONS:
        connection.exec_driver_sql("ALTER TABLE judgments ADD COLUMN submission BIGINT")
    if version < WITH_IMPORTS:
        connection.exec_driver_sql("ALTER TABLE judgments ADD COLUMN import_id INTEGER")
    tables = [metadata.tables[name] for name in _added_after(version)]
    metadata.create_all(connection, tables=tables, checkfirst=False)
    if version < WITH_IMPORTS:
        by_import = (each for each in judgments.indexes if each.name == "judgments_of_import")
        next(by_import).create(connection)
    connection.execute(versions.update().values(version=VERSION))


def _added_after(version: int) -> list[str]:
    """Return the tables that a store of this version does not have."""
    return [name for since, names in _NEW_TABLES.items() if version < since for name in names]


def analyze(connection: sa.Connection) -> None:
    """Update PostgreSQL's table statistics after a bulk write, before autovacuum does."""
    if connection.dialect.name == "postgresql":
        for name in metadata.tables:
            connection.exec_driver_sql(f"ANALYZE {name}")


def check(version: int) -> None:
    """Refuse a schema that a newer newsdesk created."""
    if version > VERSION:
        raise FileError(
            f"the store has schema {version} and this newsdesk knows {VERSION}: upgrade newsdesk"
        )


def erase_articles(store: Store, articles: Collection[str]) -> int:
    """Erase articles by id from all campaigns of a store; return the number of erased judgments.

    Everything about a task of theirs is deleted, and the database is written anew.
    """
    if not articles:
        raise ArgumentError("nothing to erase; name the id of an article")
    erased = 0
    with store.database.write(alone=True) as connection:
        trigger_statements = without_triggers(connection)
        for campaign, task in list(_tasks(connection, sorted(set(articles)))):
            erased += _erase_task(connection, campaign, task)
        _erase_items(connection, sorted(set(articles)))
        for statement in trigger_statements:
            connection.exec_driver_sql(statement)
    store.database.compact()
    return erased


def _tasks(connection: sa.Connection, articles: list[str]) -> Iterator[tuple[int, int]]:
    """Yield campaign and number of each task about one of these articles."""
    for names in chunks(articles, CHUNK):
        by_item = sa.select(tasks.c.campaign_id, tasks.c.number).where(tasks.c.item.in_(names))
        by_target = (
            sa.select(targets.c.campaign_id, targets.c.task)
            .join(campaigns, campaigns.c.id == targets.c.campaign_id)
            .where(targets.c.name.in_(names), campaigns.c.protocol.contains('"relate"'))
        )
        yield from (tuple(row) for row in connection.execute(by_item.union(by_target)))


def _erase_task(connection: sa.Connection, campaign: int, task: int) -> int:
    """Delete the rows of a task, those that refer to others first; return its number of judgments."""
    erased = 0
    for table in reversed(metadata.sorted_tables):
        column = table.c.number if table is tasks else table.c.get("task")
        if column is None or "campaign_id" not in table.c:
            continue
        statement = table.delete().where(table.c.campaign_id == campaign, column == task)
        count = connection.execute(statement).rowcount
        erased += count if table is judgments else 0
    return erased


def _erase_items(connection: sa.Connection, articles: list[str]) -> None:
    """Delete what is stored once for all tasks of an item."""
    for table in metadata.sorted_tables:
        if table is not tasks and "item" in table.c:
            for names in chunks(articles, CHUNK):
                connection.execute(table.delete().where(table.c.item.in_(names)))


def without_triggers(connection: sa.Connection) -> list[str]:
    """Drop the triggers on judgments; return the statements that bring them back."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ALTER TABLE judgments DISABLE TRIGGER USER")
        return ["ALTER TABLE judgments ENABLE TRIGGER USER"]
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    rows = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    ).fetchall()
    for name, _ in rows:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    return [statement for _, statement in rows]
