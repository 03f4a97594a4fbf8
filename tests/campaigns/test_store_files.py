"""Files that a store lies in: of 0.1.0, damaged, foreign, read-only, oddly named."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.exchange import import_files
from newsdesk.campaigns.store import Store, schema
from newsdesk.errors import FileError
from tests.campaigns.test_undo import as_version_3
from tests.campaigns.worlds import AT, GRADE, RANK, answers, grade_tasks

OLD = Path(__file__).parent / "v0_1_0"
NOBODY = 65534


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store that newsdesk 0.1.0 wrote."""
    path = tmp_path / "old.db"
    connection = sqlite3.connect(path)
    connection.executescript((OLD / "store.sql").read_text("utf-8"))
    connection.close()
    return path


def letters(store: Store) -> dict[str, dict[str, list[str]]]:
    return {
        name: {each.task.id: list(each.slot.order) for each in store.assignments("ranks", name)}
        for name in ("ann", "ben")
    }


def test_a_store_of_0_1_0_is_migrated_and_keeps_its_letters(old: Path) -> None:
    before = json.loads((OLD / "letters.json").read_text("utf-8"))
    for _ in range(2):
        with Store.open(f"sqlite:///{old}") as store:
            assert letters(store) == before
            assert [each.value for each in store.judgments("ranks")] == [1] * 3 + [2] * 3 + [3] * 3
    assert sqlite3.connect(old).execute("SELECT version FROM newsdesk_schema").fetchall() == [(5,)]


def test_a_store_of_0_1_0_goes_on_after_the_migration(old: Path) -> None:
    with Store.open(f"sqlite:///{old}") as store:
        (result,) = import_files(store, "ranks", [OLD / "ann.csv"], at=AT)
        assert (result.new, result.unchanged, result.faults) == (9, 9, ())
        assert result.seal == "unsealed" and "not sealed" in result.warnings[-1]
        store.exclude("ranks", "ann", "a test", at=AT)
        store.join("ranks", "cy", invited=True)
        assert store.hand_out("ranks") == 3
        todo = store.claim("ranks", "cy", at=AT)
        assert todo is not None
        store.answer("ranks", "cy", todo.task.id, answers(RANK, todo.task, (2, 1, 3)), at=AT)


def as_nobody(work: Callable[[str], object], argument: str) -> object:
    """Run the function without the rights of root, to whom nothing is read-only."""
    if os.geteuid() != 0:
        return work(argument)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            sender.send(work(argument))
        except FileError as error:
            sender.send(error)

    process = context.Process(target=child)
    process.start()
    sender.close()
    result = receiver.recv()
    process.join()
    if isinstance(result, FileError):
        raise result
    return result


def read_all(url: str) -> object:
    with Store.open(url, create=False) as store:
        names = [each.name for each in store.campaigns()]
        return names, letters(store), store.status("ranks").judgments, store.conflicts("ranks")


def write_one(url: str) -> object:
    with Store.open(url, create=False) as store:
        return store.claim("ranks", "ann", at=AT)


@pytest.mark.parametrize("version", [1, 2, 3, schema.VERSION])
def test_a_store_that_cannot_be_written_can_be_read(old: Path, version: int) -> None:
    if version > 1:
        Store.open(f"sqlite:///{old}").close()
    if version in (2, 3):
        engine = sa.create_engine(f"sqlite:///{old}")
        with engine.begin() as connection:
            as_version_3(connection)
            if version == 2:
                connection.exec_driver_sql("ALTER TABLE judgments DROP COLUMN submission")
                connection.exec_driver_sql("UPDATE newsdesk_schema SET version = 2")
        engine.dispose()
    for folder in old.parents:
        if folder == Path(tempfile.gettempdir()):
            break
        folder.chmod(folder.stat().st_mode | 0o555)  # pytest closes its folders to others
    old.chmod(0o444)
    old.parent.chmod(0o555)
    try:
        expected: tuple[list[str], Any, int, list[str]] = (
            ["ranks", "grades"],
            json.loads((OLD / "letters.json").read_text("utf-8")),
            9,
            [],
        )
        assert as_nobody(read_all, f"sqlite:///{old}") == expected
        with pytest.raises(FileError, match=r"old\.db: the store is read-only; copy it"):
            as_nobody(write_one, f"sqlite:///{old}")
        assert [path.name for path in old.parent.iterdir()] == ["old.db"]
    finally:
        old.parent.chmod(0o755)


@pytest.mark.parametrize("name", ["a?b.db", "100%.db", "a%20b.db", "x?mode=ro.db", "#1.db"])
def test_any_file_name_means_itself(tmp_path: Path, name: str) -> None:
    url = f"sqlite:///{tmp_path / name}"
    with Store.open(url) as store:
        store.create("c", GRADE, grade_tasks(1), ["ann"], per_item=1, seed=0)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with Store.open(url, create=False) as store:
        assert store.status("c").slots == 1
    with pytest.raises(FileError, match="no such store"):
        Store.open(f"sqlite:///{tmp_path / 'other?.db'}", create=False)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE newsdesk_schema SET version = 0",
        "UPDATE newsdesk_schema SET version = -1",
        "DELETE FROM newsdesk_schema",
        "INSERT INTO newsdesk_schema VALUES (2)",
        "DROP TABLE judgments",
        "ALTER TABLE newsdesk_schema RENAME COLUMN version TO number",
    ],
)
def test_a_schema_that_newsdesk_never_wrote_is_one_line(url: str, statement: str) -> None:
    Store.open(url).close()
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()
    with pytest.raises(
        FileError, match=r"never wrote|has no table|is not one of newsdesk"
    ) as error:
        Store.open(url)
    assert len(str(error.value).splitlines()) == 1


def test_a_damaged_store_is_one_line_that_says_what_to_do(old: Path) -> None:
    data = old.read_bytes()
    complaints = set()
    for start in range(100, len(data), 4096):
        old.write_bytes(data[:start] + b"\xff" * 2000 + data[start + 2000 :])
        try:
            with Store.open(f"sqlite:///{old}") as store:
                for each in store.campaigns():
                    list(store.judgments(each.name))
                    list(store.tasks(each.name))
                    store.status(each.name)
        except FileError as error:
            assert len(str(error).splitlines()) == 1
            complaints.add(str(error).rpartition("; ")[2])
        for rest in old.parent.glob("old.db-*"):
            rest.unlink()
    assert "the store is damaged, restore it from a copy" in complaints


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder, not a store"):
        Store.open(f"sqlite:///{tmp_path}")
    assert schema.VERSION == 5
