"""Group commit for SQLite: short writes of one process that wait at the same time share a transaction, and so one sync of the disk.

Each write has a savepoint of its own, so a write that fails is undone alone. A write returns when the transaction that it shares is on
disk: nothing is acknowledged earlier than without groups. Writes take their turns in the order in which they came. PostgreSQL groups
commits itself.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field

import sqlalchemy as sa

_MOST_WRITES = 64
_LONGEST_S = 0.05  # for which a transaction waits for more writes: other processes want their turn


@dataclass(slots=True, eq=False)
class _Turn:
    """A write that waits for its turn."""

    short: bool
    begins: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True, eq=False)
class _Group:
    """A transaction that several writes share."""

    connection: sa.Connection
    transaction: ExitStack
    began: float
    writes: int = 0
    broken: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)


class GroupCommit:
    """Writes of one process, one at a time and in order; `begin` opens a transaction that commits when its block ends without an error."""

    def __init__(self, begin: Callable[[], AbstractContextManager[sa.Connection]]) -> None:
        self._begin = begin
        self._lock = threading.Lock()
        self._waiting: deque[_Turn] = deque()
        self._taken = False
        self._group: _Group | None = None

    @contextlib.contextmanager
    def write(self, *, short: bool) -> Iterator[sa.Connection]:
        """A write that is on disk when the block ends; one that is not `short` shares its transaction with no other."""
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

    def _new_group(self) -> _Group:
        transaction = ExitStack()
        connection = transaction.enter_context(self._begin())
        return _Group(connection, transaction, time.monotonic())

    def _may_grow(self, group: _Group, *, short: bool) -> bool:
        """True if the next write joins this transaction, whose last write was `short` or not."""
        group.writes += 1
        with self._lock:
            joins = short and bool(self._waiting) and self._waiting[0].short
        fits = group.writes < _MOST_WRITES and time.monotonic() - group.began < _LONGEST_S
        return joins and fits

    def _end(self, group: _Group) -> None:
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
def _savepoint(group: _Group) -> Iterator[None]:
    """Undo what the block wrote if it fails. Where SQLite has undone the whole transaction, as on a full disk, the group is broken."""
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
