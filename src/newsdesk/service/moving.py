"""Move the store of a data folder from SQLite to an empty database on PostgreSQL: every row of every table, checked by counts and digests.

Rows are copied in the order of their keys, in transactions of a few thousand. A move that was stopped goes on where it was: the target notes a digest of
the source, and holds the first rows of each table. The source is locked as long as it takes, so that nobody writes what would stay behind; it is kept under another name.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from newsdesk.campaigns.store import Store, schema
from newsdesk.campaigns.store.database import Database
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.jsonl import json_text
from newsdesk.service.database import create_tables, service_tables
from newsdesk.service.settings import STORE
from newsdesk.signatures import sha256_of
from newsdesk.work.progress import OnProgress, Progress, silent

_ROWS = 2_000  # of one transaction
_WAIT_S = 2.0  # for a program that has the store open
MOVED = ".moved"  # the ending of the old store's name

# In the target while a move is unfinished: what it is a copy of.
_moves = sa.Table("store_move", sa.MetaData(), sa.Column("source", sa.Text, primary_key=True))


@dataclass(frozen=True, slots=True)
class MovedStore:
    """How many tables and rows were moved, and where the old store is kept."""

    tables: int
    rows: int
    kept: Path


@dataclass(frozen=True, slots=True)
class TableDigest:
    """The number of rows of a table, and the sum of their hashes, which does not depend on their order."""

    rows: int
    hashes: str


def move_store(data: Path, url: str, *, progress: OnProgress = silent) -> MovedStore:
    """Move the store of a data folder to PostgreSQL; a database that holds anything else is refused."""
    if not url.startswith("postgres"):
        raise ArgumentError(f"{url!r} is not a store to move to; write postgresql://…")
    path = data / STORE
    kept = path.with_name(path.name + MOVED)
    if not path.is_file():
        said = "was moved already; serve it with --store" if kept.is_file() else "no such store"
        raise FileError(f"{path}: {said}")
    if kept.exists():
        raise FileError(f"{kept}: an earlier store is kept there; take it away first")
    with (
        Store.open(f"sqlite:///{path}", create=False) as store,
        store.database.write() as connection,
    ):
        create_tables(connection)  # those that were added since
    with _alone(path) as source, Store.open(url) as target:
        with target.database.write() as connection:
            create_tables(connection)
        digests = {table.name: _digest(source, table) for table in _tables()}
        _begin(target.database, digests)
        rows = sum(digest.rows for digest in digests.values())
        done = 0
        for table in _tables():
            for copied in _copy(source, target.database, table):
                done += copied
                progress(Progress(table.name, done, rows))
        _verify(target.database, digests)
        source.exec_driver_sql("COMMIT")
        source.exec_driver_sql("PRAGMA journal_mode = DELETE")  # one file, still locked
        path.rename(kept)
        with target.database.write() as connection:
            _moves.drop(connection)
    return MovedStore(len(digests), rows, kept)


def _tables() -> list[sa.Table]:
    """Return the tables to copy, each after those it refers to."""
    stored = [table for table in schema.metadata.sorted_tables if table is not schema.versions]
    return [*stored, *service_tables()]


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[sa.Connection]:
    """Open a store of SQLite that no other program has open, and keep all others out."""

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=sa.StaticPool)
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA locking_mode = EXCLUSIVE")
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            except sa.exc.OperationalError as error:
                raise FileError(
                    f"{path}: another program has the store open; stop the server first"
                ) from error
            yield connection
    finally:
        engine.dispose()


def _digest(connection: sa.Connection, table: sa.Table) -> TableDigest:
    """Return the digest of all rows of a table."""
    count, hashes = 0, 0
    for row in connection.execute(sa.select(table), execution_options={"yield_per": _ROWS}):
        count += 1
        hashes += int.from_bytes(hashlib.sha256(repr(tuple(row)).encode()).digest())
    return TableDigest(count, f"{hashes % 2**256:064x}")


def _begin(database: Database, digests: dict[str, TableDigest]) -> None:
    """Note in an empty target what it will be a copy of; one that has rows must be a part of the same copy."""
    source = sha256_of(
        json_text([[name, each.rows, each.hashes] for name, each in digests.items()])
    )
    with database.write(alone=True) as connection:
        _moves.create(connection, checkfirst=True)
        begun = connection.execute(sa.select(_moves.c.source)).scalar()
        if begun == source:
            return
        filled = next((table.name for table in _tables() if _count(connection, table)), None)
        if filled is not None:
            why = (
                "an unfinished copy of another store, or of this one before it changed"
                if begun
                else f"rows in the table {filled!r}"
            )
            raise FileError(f"{database.name}: holds {why}; name an empty database")
        connection.execute(_moves.delete())
        connection.execute(_moves.insert().values(source=source))


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def _copy(source: sa.Connection, database: Database, table: sa.Table) -> Iterator[int]:
    """Copy the rows of a table that the target does not have yet; yield the number of each batch."""
    with database.read() as connection:
        there = _count(connection, table)
    yield there
    rows = source.execute(
        sa.select(table).order_by(*table.primary_key).offset(there),
        execution_options={"yield_per": _ROWS},
    )
    for batch in rows.mappings().partitions():
        with database.write(alone=True) as connection:
            connection.execute(table.insert(), [dict(row) for row in batch])
        yield len(batch)
    _set_counter(database, table)


def _set_counter(database: Database, table: sa.Table) -> None:
    """Let the numbers of new rows go on after those that were copied."""
    column = table.autoincrement_column
    if column is None:
        return
    counter = sa.func.pg_get_serial_sequence(table.name, column.name)
    last = sa.select(sa.func.max(column)).scalar_subquery()
    with database.write() as connection:
        if connection.execute(sa.select(counter)).scalar() and _count(connection, table):
            connection.execute(sa.select(sa.func.setval(counter, last)))


def _verify(database: Database, digests: dict[str, TableDigest]) -> None:
    """Refuse a copy that differs from its source in any row."""
    with database.read(streams=True) as connection:
        for table in _tables():
            digest = _digest(connection, table)
            if digest != digests[table.name]:
                raise DataError(
                    f"the table {table.name!r} has {digest.rows} rows in the copy and {digests[table.name].rows} in the store, or other ones; empty the database and move again",
                    file=database.name,
                )
