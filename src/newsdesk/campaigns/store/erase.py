"""Erasing articles from a store: their tasks with all texts, slots and judgments, in every campaign, so that no page of the database holds them.

Judgments are append-only; erasing is the one exception, for texts that must not be kept. A task goes if its item is an article that is to be erased, or, where
articles themselves are judged (protocol relate), one of its targets is. The triggers that refuse deletes are set aside inside the same
transaction. Afterwards the database is written anew: deleted rows stay readable in free pages and in logs otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

import sqlalchemy as sa

from newsdesk.campaigns.store import Store, schema
from newsdesk.errors import ArgumentError

_RELATE = "relate"
_AT_A_TIME = 500  # values of one statement; databases have a limit


def erase_articles(store: Store, articles: Collection[str]) -> int:
    """Erase articles by id from all campaigns of a store; the number of judgments that went with them."""
    if not articles:
        raise ArgumentError("nothing to erase; name the id of an article")
    erased = 0
    with store.database.write() as connection:
        with_triggers = _without_triggers(connection)
        for campaign, task in list(_tasks(connection, sorted(set(articles)))):
            erased += _erase_task(connection, campaign, task)
        _erase_items(connection, sorted(set(articles)))
        for statement in with_triggers:
            connection.exec_driver_sql(statement)
    store.database.compact()
    return erased


def _tasks(connection: sa.Connection, articles: list[str]) -> Iterator[tuple[int, int]]:
    tasks, targets, campaigns = schema.tasks, schema.targets, schema.campaigns
    for names in _batches(articles):
        by_item = sa.select(tasks.c.campaign_id, tasks.c.number).where(tasks.c.item.in_(names))
        by_target = (
            sa.select(targets.c.campaign_id, targets.c.task)
            .join(campaigns, campaigns.c.id == targets.c.campaign_id)
            .where(targets.c.name.in_(names), campaigns.c.protocol.contains(f'"{_RELATE}"'))
        )
        yield from (tuple(row) for row in connection.execute(by_item.union(by_target)))


def _erase_task(connection: sa.Connection, campaign: int, task: int) -> int:
    """Delete the rows of a task from every table, those that refer to others first.

    How many judgments there were.
    """
    judgments = 0
    for table in reversed(schema.metadata.sorted_tables):
        column = table.c.number if table is schema.tasks else table.c.get("task")
        if column is None or "campaign_id" not in table.c:
            continue
        statement = table.delete().where(table.c.campaign_id == campaign, column == task)
        count = connection.execute(statement).rowcount
        judgments += count if table is schema.judgments else 0
    return judgments


def _erase_items(connection: sa.Connection, articles: list[str]) -> None:
    """Delete what is stored once for all tasks of an item."""
    for table in schema.metadata.sorted_tables:
        if table is not schema.tasks and "item" in table.c:
            for names in _batches(articles):
                connection.execute(table.delete().where(table.c.item.in_(names)))


def _without_triggers(connection: sa.Connection) -> list[str]:
    """Set the triggers on judgments aside; the statements that bring them back."""
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


def _batches(values: list[str]) -> Iterator[list[str]]:
    rest = iter(values)
    while batch := list(islice(rest, _AT_A_TIME)):
        yield batch
