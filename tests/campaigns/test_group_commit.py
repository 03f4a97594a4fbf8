"""Short writes share a commit, and still each of them succeeds or fails alone and is on disk when it returns."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.store.database import GroupCommit


class Disk:
    """A table of numbers, and how often it was committed; there is `room` for so many commits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.commits = 0
        self.room = 100
        self.engine = sa.create_engine(
            "sqlite:///file",
            creator=lambda: sqlite3.connect(path, isolation_level=None, check_same_thread=False),
            poolclass=sa.pool.QueuePool,
        )
        sa.event.listen(self.engine, "begin", lambda each: each.exec_driver_sql("BEGIN IMMEDIATE"))
        with self.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
        self.commits = 0

    @contextlib.contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as connection, connection.begin():
            yield connection
            if self.commits == self.room:
                raise sa.exc.OperationalError("COMMIT", {}, Exception("disk is full"))
            self.commits += 1

    def numbers(self) -> list[int]:
        """What another process would read."""
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            return [n for (n,) in connection.execute("SELECT n FROM numbers ORDER BY n")]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path / "numbers.db")
    yield made
    made.engine.dispose()


def add(groups: GroupCommit, number: int, *, short: bool = True) -> None:
    with groups.write(short=short) as connection:
        connection.exec_driver_sql(f"INSERT INTO numbers VALUES ({number})")


def together(
    groups: GroupCommit, writes: list[int], *, short: bool = True
) -> list[sa.exc.DatabaseError]:
    """Let writes queue behind one that takes long, one by one so that their order is known; returns what they raised."""
    errors: list[sa.exc.DatabaseError] = []

    def one(number: int) -> None:
        try:
            add(groups, number, short=short)
        except sa.exc.DatabaseError as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in writes]
    with groups.write(short=False):
        for position, thread in enumerate(threads):
            thread.start()
            while len(groups._waiting) <= position:
                pass
    for thread in threads:
        thread.join()
    return errors


def test_short_writes_that_wait_share_one_commit(disk: Disk) -> None:
    groups = GroupCommit(disk.begin)
    assert together(groups, list(range(10))) == []
    assert disk.numbers() == list(range(10))
    assert disk.commits == 2  # of the long one, and of all others


def test_long_writes_share_no_commit(disk: Disk) -> None:
    groups = GroupCommit(disk.begin)
    assert together(groups, list(range(5)), short=False) == []
    assert (disk.numbers(), disk.commits) == (list(range(5)), 6)


def test_a_write_that_fails_is_undone_alone(disk: Disk) -> None:
    groups = GroupCommit(disk.begin)
    [error] = together(groups, [1, 2, 2, 3])
    assert isinstance(error, sa.exc.IntegrityError)
    assert (disk.numbers(), disk.commits) == ([1, 2, 3], 2)


def test_what_a_failing_block_wrote_before_is_undone(disk: Disk) -> None:
    groups = GroupCommit(disk.begin)
    with pytest.raises(ValueError, match="no"), groups.write(short=True) as connection:
        connection.exec_driver_sql("INSERT INTO numbers VALUES (1)")
        raise ValueError("no")
    add(groups, 2)
    assert disk.numbers() == [2]


def test_nobody_is_told_of_success_when_the_shared_commit_fails(disk: Disk) -> None:
    groups = GroupCommit(disk.begin)
    disk.room = 1  # for the commit of the long write
    errors = together(groups, [1, 2, 3])
    assert [type(error) for error in errors] == [sa.exc.OperationalError] * 3
    assert disk.numbers() == []
    disk.room = 100
    assert together(groups, [1, 2, 3]) == []
    assert disk.numbers() == [1, 2, 3]


def test_a_transaction_that_sqlite_gave_up_fails_for_all_who_share_it(disk: Disk) -> None:
    groups = GroupCommit(disk.begin)
    outcomes: dict[str, str] = {}

    def good() -> None:
        try:
            add(groups, 1)
            outcomes["good"] = "stored"
        except sa.exc.DatabaseError:
            outcomes["good"] = "refused"

    def bad() -> None:
        try:
            with groups.write(short=True) as connection:
                connection.exec_driver_sql("ROLLBACK")  # as SQLite does by itself on a full disk
                connection.exec_driver_sql("INSERT INTO nothing VALUES (1)")
        except sa.exc.DatabaseError:
            outcomes["bad"] = "refused"

    threads = [threading.Thread(target=good), threading.Thread(target=bad)]
    with groups.write(short=False):
        for position, thread in enumerate(threads):
            thread.start()
            while len(groups._waiting) <= position:
                pass
    for thread in threads:
        thread.join()
    assert outcomes == {"good": "refused", "bad": "refused"}
    assert disk.numbers() == []
    add(groups, 2)
    assert disk.numbers() == [2]
