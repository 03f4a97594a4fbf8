"""Connections and transactions on SQLite (WAL, full sync) or PostgreSQL: one way to read and one to write.

A write on SQLite begins with BEGIN IMMEDIATE, so that a writer never fails at its first statement because another was faster. Writers
queue for a lock on the database's folder, since SQLite itself polls and is not fair: with 200 annotators at once the longest wait was
10 s, and is 2 s with the queue. The folder needs no file of its own to be left behind, and locking the database file would not be safe:
closing any descriptor of it drops the locks that SQLite holds. Short writes of one process share commits (`GroupCommit`). A commit returns when the data is on disk: synchronous FULL on SQLite,
the default on PostgreSQL. A file that cannot be written, or lies in a folder that cannot, is opened for reading alone: SQLite would
otherwise want to create the files of its write-ahead log. PostgreSQL locks rows instead, in an order that rules out deadlocks: a transaction on many slots locks the campaign
first; one on a single slot locks the annotator, then the slot. What changes tables as a whole, such as an erasure, is alone: it waits for all
writes that run, and others wait for it.

Group commit for SQLite: short writes of one process that wait at the same time share a transaction, and so one sync of the disk.

Each write has a savepoint of its own, so a write that fails is undone alone. A write returns when the transaction that it shares is on
disk: nothing is acknowledged earlier than without groups. Writes take their turns in the order in which they came. PostgreSQL groups
commits itself.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.store import schema
from newsdesk.errors import ArgumentError, FileError
from newsdesk.registry import require

_MOST_WRITES = 64
_LONGEST_S = 0.05  # for which a transaction waits for more writes: other processes want their turn


@dataclass(slots=True, eq=False)
class _Turn:
    """A write that waits for its turn."""

    short: bool
    begins: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True, eq=False)
class _SharedWrite:
    """A transaction that several writes share."""

    connection: sa.Connection
    transaction: ExitStack
    began: float
    writes: int = 0
    broken: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)


class GroupCommit:
    """Writes of one process, one at a time and in order.

    `begin` opens a transaction that commits when its block ends without an error.
    """

    def __init__(self, begin: Callable[[], AbstractContextManager[sa.Connection]]) -> None:
        self._begin = begin
        self._lock = threading.Lock()
        self._waiting: deque[_Turn] = deque()
        self._taken = False
        self._group: _SharedWrite | None = None

    @contextlib.contextmanager
    def write(self, *, short: bool) -> Iterator[sa.Connection]:
        """Open a write that is on disk when the block ends; only `short` ones share their transaction."""
        self._take_turn(short)
        try:
            group = self._group = self._group or self._new_group()
        except BaseException:
            self._next_turn()
            raise
        try:
            with _savepoint(group):
                yield group.connection
        finally:
            if group.broken or not self._may_grow(group, short=short):
                self._end(group)
            self._next_turn()
        group.ended.wait()
        if group.broken is not None:
            raise group.broken

    def _take_turn(self, short: bool) -> None:
        """Wait until all writes that came before have had their turn."""
        turn = _Turn(short)
        with self._lock:
            if not self._taken:
                self._taken = True
                return
            self._waiting.append(turn)
        turn.begins.wait()

    def _next_turn(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().begins.set()
            else:
                self._taken = False

    def _new_group(self) -> _SharedWrite:
        transaction = ExitStack()
        connection = transaction.enter_context(self._begin())
        return _SharedWrite(connection, transaction, time.monotonic())

    def _may_grow(self, group: _SharedWrite, *, short: bool) -> bool:
        """Return True if the next write joins this transaction, whose last write was `short` or not."""
        group.writes += 1
        with self._lock:
            joins = short and bool(self._waiting) and self._waiting[0].short
        fits = group.writes < _MOST_WRITES and time.monotonic() - group.began < _LONGEST_S
        return joins and fits

    def _end(self, group: _SharedWrite) -> None:
        """Commit, or roll back what is broken, and tell all who wait for it."""
        self._group = None
        broken = group.broken
        try:
            if broken is None:
                group.transaction.close()
            else:
                group.transaction.__exit__(type(broken), broken, broken.__traceback__)
        except Exception as error:  # noqa: BLE001, all who wait raise it
            group.broken = broken or error
        finally:
            group.ended.set()


@contextlib.contextmanager
def _savepoint(group: _SharedWrite) -> Iterator[None]:
    """Undo what the block wrote if it fails.

    Where SQLite has undone the whole transaction, as on a full disk, the group is broken.
    """
    try:
        group.connection.exec_driver_sql("SAVEPOINT one_write")
        yield
        group.connection.exec_driver_sql("RELEASE one_write")
    except BaseException as error:
        try:
            group.connection.exec_driver_sql("ROLLBACK TO one_write")
            group.connection.exec_driver_sql("RELEASE one_write")
        except sa.exc.DatabaseError as lost:
            group.broken = error if isinstance(error, sa.exc.DatabaseError) else lost
        raise


try:
    import fcntl
except ImportError:  # Windows, where writers of several processes are left to SQLite's polling
    fcntl = None  # type: ignore[assignment]

# Eight processes of eight connections stay below PostgreSQL's default limit of a hundred.
_CONNECTIONS = 8
_WAIT_S = 120
_IDLE_S = 1.0  # after which a connection to PostgreSQL is tested before it is used
_IDLE_SINCE = "newsdesk_idle_since"
_WRITE = "newsdesk_write"
_WRITERS = 0x77726974  # "writ": the lock of PostgreSQL that writes share
_SQLITE = "sqlite:///"
_UNFIT = re.compile("[\0\ud800-\udfff]")
_SHOWN = 60  # characters of a value that an error shows
# What SQLite says of a file it cannot use, and what to do.
_ADVICE = {
    "malformed": "; the store is damaged, restore it from a copy",
    "not a database": "; name another file with --store",
    "readonly database": "; the store is read-only, copy it to a folder that can be written",
}


class Database:
    """The database engine of a store; its tables are created on opening."""

    def __init__(self, url: str, *, create: bool) -> None:
        parsed = _parsed(url, create=create)
        self._sqlite = parsed.drivername == "sqlite"
        path = Path(parsed.database or "")
        self.name = (
            f"sqlite:///{path}" if self._sqlite else parsed.render_as_string(hide_password=True)
        )
        self._folder = path.absolute().parent
        self._read_only = self._sqlite and path.exists() and not _writable(path)
        self._engine = _engine(parsed, read_only=self._read_only)
        self._groups = GroupCommit(self._transaction)
        self.version = schema.VERSION
        try:
            self._prepare(create=create)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections to the database."""
        self._engine.dispose()

    @contextlib.contextmanager
    def read(self, *, streams: bool = False, single: bool = False) -> Iterator[sa.Connection]:
        """Open a read transaction on one snapshot of the store; a `single` query is a snapshot without one.

        `streams` fetches rows as they are read, for results of any size; on PostgreSQL each query then takes three round trips instead of one.
        """
        with self._explained(), self._engine.connect() as connection:
            if not self._sqlite:
                level = "AUTOCOMMIT" if single else "REPEATABLE READ"
                connection = connection.execution_options(isolation_level=level)
            if streams:
                connection = connection.execution_options(stream_results=True, yield_per=1000)
            yield connection

    @contextlib.contextmanager
    def write(self, *, short: bool = False, alone: bool = False) -> Iterator[sa.Connection]:
        """Open an atomic write, on disk when the block ends; `short` ones may share their commit.

        One that is `alone` runs beside no other write of any process, as every one does on SQLite.
        """
        if self._read_only:
            raise FileError(
                f"{self.name}: the store is read-only; copy it to a folder that can be written"
            )
        turn = self._groups.write(short=short) if self._sqlite else self._transaction(alone=alone)
        with self._explained(), turn as connection:
            yield connection

    @contextlib.contextmanager
    def _transaction(self, *, alone: bool = False) -> Iterator[sa.Connection]:
        """Open a write transaction of its own; on SQLite it queues for the folder's lock."""
        turn = queued(self._folder) if self._sqlite else contextlib.nullcontext()
        with turn, self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITE: True})
            with connection.begin():
                if not self._sqlite:
                    lock = "pg_advisory_xact_lock" + ("" if alone else "_shared")
                    connection.exec_driver_sql(f"SELECT {lock}({_WRITERS})")
                yield connection

    def compact(self) -> None:
        """Write the database anew from its rows, so that no page or log holds deleted ones."""
        with self._explained():
            raw = self._engine.raw_connection()
            try:
                if not self._sqlite:
                    raw.rollback()
                    raw.driver_connection.autocommit = True  # type: ignore[union-attr]
                cursor = raw.cursor()
                cursor.execute("VACUUM" if self._sqlite else "VACUUM FULL")
                if self._sqlite:
                    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                cursor.close()
            finally:
                raw.invalidate()  # its settings are not those of the pool

    def copy_to(self, path: Path) -> None:
        """Copy a database of SQLite as of one moment to a new file, while others read and write it."""
        if not self._sqlite:
            raise ArgumentError(f"{self.name}: copy a store on PostgreSQL with pg_dump")
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with self._explained(), contextlib.closing(sqlite3.connect(path)) as target:
            raw = self._engine.raw_connection()
            try:
                raw.driver_connection.backup(target)  # type: ignore[union-attr]
            finally:
                raw.close()
            target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it

    def _prepare(self, *, create: bool) -> None:
        """Create the tables of a new store, or migrate those of an old one; a read-only one stays as it is."""
        try:
            with self.read() as connection:
                version = schema.version_of(connection)
            if version is None and not create:
                raise FileError("holds no campaigns")
            if version is None:
                with self.write() as connection:
                    schema.create(connection)
                return
            schema.check(version)
            if version < schema.VERSION and not self._read_only:
                with self.write() as connection:
                    schema.migrate(connection)
            elif version < schema.VERSION:
                self.version = version
        except FileError as error:
            message = str(error)
            raise FileError(
                message if message.startswith(self.name) else f"{self.name}: {message}"
            ) from error

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn operational errors of the database (locked, unreachable, no space) into a one-line FileError."""
        try:
            yield
        except sa.exc.DataError as error:  # PostgreSQL: such as a number out of the column's range
            message = str(error.orig).strip().partition("\n")[0]
            raise ArgumentError(f"a value cannot be stored: {message}") from error
        except sa.exc.DatabaseError as error:
            if type(error) not in (sa.exc.OperationalError, sa.exc.DatabaseError):
                raise
            message = str(error.orig).strip().partition("\n")[0]
            hint = next((advice for sign, advice in _ADVICE.items() if sign in message), "")
            raise FileError(f"{self.name}: {message}{hint}") from error
        except sa.exc.TimeoutError as error:
            raise FileError(f"{self.name}: no connection became free in {_WAIT_S} s") from error


@contextlib.contextmanager
def queued(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder until the block, or the process, ends.

    The lock only makes waiting fair: where the system has no such lock, writers are left to SQLite's polling.
    """
    descriptor = None
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _parsed(url: str, *, create: bool) -> sa.URL:
    """Return the URL of a store for SQLAlchemy; refuse databases other than SQLite and PostgreSQL."""
    if url.startswith(_SQLITE):
        return _sqlite_file(url.removeprefix(_SQLITE), create=create)
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise ArgumentError(
            f"{url!r} is not a store; write sqlite:///FILE or postgresql://…"
        ) from error
    if parsed.drivername in ("postgresql", "postgres"):
        require("psycopg", extra="postgres", what="a store on PostgreSQL")
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername == "sqlite":
        raise ArgumentError(f"{url!r} names no file; write sqlite:///FILE")
    raise ArgumentError(
        f"a store cannot be {parsed.drivername}; write sqlite:///FILE or postgresql://…"
    )


def _sqlite_file(name: str, *, create: bool) -> sa.URL:
    """Return the URL of a file, whose name is taken as it is: `?` and `%` mean themselves."""
    if not name or name == ":memory:":
        raise ArgumentError(f"{_SQLITE + name!r} names no file; write sqlite:///FILE")
    if "\0" in name:
        raise ArgumentError(f"{_SQLITE + name!r} holds a NUL character; write sqlite:///FILE")
    path = Path(name)
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no folder {str(path.parent)!r}")
    if path.is_dir():
        raise FileError(f"{path}: is a folder, not a store; name a file in it")
    if not create and not path.exists():
        raise FileError(
            f"{path}: no such store; create one with `newsdesk campaign new`, or name another with --store"
        )
    return sa.URL.create("sqlite", database=name)


def _writable(path: Path) -> bool:
    """Return True if SQLite can write the file and create the files of its log beside it."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _engine(url: sa.URL, *, read_only: bool) -> sa.Engine:
    """Return the engine of a database with its pool; SQLite connections are set up and begin as we say."""
    pool = {"pool_size": _CONNECTIONS, "max_overflow": 0, "pool_timeout": _WAIT_S}
    if url.drivername != "sqlite":
        engine = sa.create_engine(url, **pool)
        sa.event.listen(engine, "before_cursor_execute", _check_values)
        sa.event.listen(engine, "checkin", _note_idle)
        sa.event.listen(engine, "checkout", functools.partial(_ping_idle, engine.dialect))
        return engine
    path = Path(url.database or "").absolute()

    def connect() -> sqlite3.Connection:
        # No isolation level: Python's sqlite3 leaves BEGIN to us. Connections move between threads, one at a time.
        settings: dict[str, Any] = {
            "timeout": _WAIT_S, "isolation_level": None, "check_same_thread": False,
        }  # fmt: skip
        if read_only:
            # Without a log nobody is writing, and SQLite need not look for one, which it could not create.
            log = path.with_name(f"{path.name}-wal").exists()
            return sqlite3.connect(
                f"{path.as_uri()}?mode=ro{'' if log else '&immutable=1'}", uri=True, **settings
            )
        # A new one is readable by its owner alone, and so are the files of its log, which take its mode over. One that is there must not be
        # opened: closing it would drop the locks that SQLite holds.
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        return sqlite3.connect(path, **settings)

    engine = sa.create_engine("sqlite:///file", creator=connect, **pool)
    sa.event.listen(engine, "before_cursor_execute", _check_values)
    if not read_only:
        sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _note_idle(_: object, record: sa.pool.ConnectionPoolEntry) -> None:
    """Note when a connection was given back to the pool."""
    record.info[_IDLE_SINCE] = time.monotonic()


def _ping_idle(
    dialect: sa.Dialect, connection: Any, record: sa.pool.ConnectionPoolEntry, _: object
) -> None:
    """Test a connection that nobody used for a while; under load a ping before each use doubles the wait for short reads."""
    if time.monotonic() - record.info.get(_IDLE_SINCE, time.monotonic()) < _IDLE_S:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        raise sa.exc.InvalidatePoolError from error  # the pool opens new ones


def _check_values(
    _: object, __: object, ___: object, values: Any, ____: object, many: bool
) -> None:
    """Refuse values that one of the databases cannot hold, on each of them and before it sees them."""
    for row in values if many else [values]:
        for value in row.values() if isinstance(row, Mapping) else row:
            if isinstance(value, str) and (unfit := _UNFIT.search(value)):
                name = "a NUL character" if unfit[0] == "\0" else "a lone surrogate"
                shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
                raise ArgumentError(f"{shown!r} holds {name}, which a store cannot keep; remove it")
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise ArgumentError("a number has more than 64 bits, which a store cannot keep")


def _set_up_sqlite(connection: Any, _: object) -> None:
    """Set the write-ahead log, full sync and foreign keys on a new connection."""
    cursor = connection.cursor()
    if cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get(_WRITE)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
