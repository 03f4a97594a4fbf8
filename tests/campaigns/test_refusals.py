"""What the store refuses, in which words, and that a refusal leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.store import Store, schema
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.types import Value
from tests.campaigns.worlds import AT, GRADE, RANK, answers, grade_tasks, rank_tasks

GOOD = answers(RANK, rank_tasks(1)[0], (1, 2, 3, 4))


@pytest.fixture
def one(store: Store) -> Store:
    """A campaign of one task for ann; ben has joined and has no task."""
    store.create("one", RANK, rank_tasks(1), ["ann"], per_item=1, seed=0)
    store.join("one", "ben", invited=True)
    return store


def refused(store: Store, reason: str, **changes: Any) -> None:
    call = {"annotator": "ann", "task": "t0", "answers": GOOD, "at": AT, **changes}
    with pytest.raises((ArgumentError, DataError), match=reason):
        store.answer("one", **call)
    assert list(store.judgments("one", current=False)) == []
    assert store.status("one").done == 0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"task": "t9"}, "campaign 'one' has no task 't9'"),
        ({"annotator": "cy"}, "'cy' is not an annotator of campaign 'one'"),
        ({"annotator": "ben"}, "task 't0' is not assigned to 'ben'"),
        ({"answers": {}}, "no answer for s0 \\(coherent\\) \\(and 11 more\\)"),
        ({"at": "yesterday"}, "`at` is 'yesterday'"),
        ({"seconds": -1.0}, "`seconds` is -1.0, below zero"),
    ],
)
def test_an_answer_that_does_not_belong_is_refused(
    one: Store, changes: dict[str, Any], reason: str
) -> None:
    refused(one, reason, **changes)


@pytest.mark.parametrize(
    ("target", "value", "reason"),
    [
        ("s1", 0, "0 is not a rank from 1 to 4"),
        ("s1", 7, "7 is not a rank from 1 to 4"),
        ("s1", "1", "'1' is not a rank"),
        ("s1", True, "True is not a rank"),
        ("s1", float("inf"), "`value` is inf"),
        ("s9", 1, "s9 \\(overall\\) was not asked"),
    ],
)
def test_one_bad_rank_and_none_is_stored(
    one: Store, target: str, value: Value, reason: str
) -> None:
    refused(one, reason, answers={**GOOD, (target, "overall"): value})


def test_a_ranking_with_a_missing_rank_is_not_stored(one: Store) -> None:
    partial = {key: value for key, value in GOOD.items() if key != ("s2", "overall")}
    refused(one, "no answer for s2 \\(overall\\)", answers=partial)


def test_unequal_ranks_of_identical_outputs_are_stored_with_a_warning(store: Store) -> None:
    task = Task("t", "i", (Target("x", "same"), Target("y", "other"), Target("z", "same")))
    store.create("twins", RANK, [task], ["ann"], per_item=1, seed=0)
    stored = store.answer("twins", "ann", "t", answers(RANK, task, (1, 2, 3)), at=AT)
    assert stored.new == 9
    assert "z and x are the same text but have the ranks 3 and 1" in stored.warnings[0]
    equal = store.answer("twins", "ann", "t", answers(RANK, task, (1, 2, 1)), at=AT)
    assert (equal.corrected, equal.warnings) == (3, ())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "one"}, "a campaign 'one' exists already"),
        ({"name": ""}, "name '' is empty"),
        ({"name": " two"}, "name ' two' is empty or has spaces around it"),
        ({"name": "a\0b"}, "NUL"),
        ({"seed": -1}, "the seed is -1"),
        ({"seed": 2**63}, "the seed is 9223372036854775808"),
        ({"per_item": 2}, "there are only 1"),
        ({"annotators": ["ann", "ann"]}, "two annotators are called 'ann'"),
        ({"annotators": ["ann "]}, "'ann ' is empty or has spaces"),
        ({"annotators": ["a\ud800"]}, "lone surrogate"),
        ({"tasks": []}, "no tasks"),
        ({"tasks": [Task("t", "i", (Target("x", "a\0b"),))]}, "target 'x' of task 't' holds a NUL"),
        ({"tasks": [Task("t", "i", (Target("x", "\udc00"),))]}, "lone surrogate"),
        ({"tasks": [Task("t", "i", (Target("x", ""),), (("a", "\0"),))]}, "task 't' holds a NUL"),
    ],
)
def test_a_campaign_that_cannot_be_is_refused_whole(
    one: Store, changes: dict[str, Any], reason: str
) -> None:
    call = {"name": "two", "tasks": grade_tasks(2), "annotators": ["ann"], "per_item": 1, "seed": 0}
    with pytest.raises(ArgumentError, match=reason):
        one.create(protocol=GRADE, **{**call, **changes})
    assert [each.name for each in one.campaigns()] == ["one"]


def test_an_unknown_campaign_is_told_at_once_and_lists_what_there_is(one: Store) -> None:
    for ask in (one.judgments, one.tasks, one.status, one.campaign):
        with pytest.raises(ArgumentError, match="no campaign is called 'two'; there are: one"):
            ask("two")


def test_nobody_joins_twice_uninvited_or_under_another_ones_id(one: Store) -> None:
    with pytest.raises(ArgumentError, match="annotators are invited"):
        one.join("one", "cy")
    with pytest.raises(ArgumentError, match="'ben' is an annotator of campaign 'one' already"):
        one.join("one", "ben", invited=True)
    hashed = one.status("one").annotators[0].id
    with pytest.raises(ArgumentError, match="already"):
        one.join("one", hashed, invited=True)


@pytest.mark.parametrize("at", ["", "2026-01-02", "2026-01-02T09:00:00", "2026-13-02T09:00:00Z"])
def test_a_claim_needs_a_moment(one: Store, at: str) -> None:
    with pytest.raises(ArgumentError, match="not a UTC moment"):
        one.claim("one", "ann", at=at)


def test_a_newer_schema_is_not_touched(url: str) -> None:
    Store.open(url).close()
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(schema.versions.update().values(version=schema.VERSION + 1))
    engine.dispose()
    with pytest.raises(FileError, match="schema 6 and this newsdesk knows 5: upgrade"):
        Store.open(url)


def test_tables_of_another_program_are_not_taken_for_ours(url: str) -> None:
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE tasks (id integer)")
    engine.dispose()
    with pytest.raises(FileError, match="has a table 'tasks' of another program"):
        Store.open(url)


def test_a_store_that_should_be_there_is_not_made(url: str) -> None:
    with pytest.raises(FileError, match=r"no such store|holds no campaigns"):
        Store.open(url, create=False)
    Store.open(url).close()
    Store.open(url, create=False).close()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("newsdesk.db", "'newsdesk.db' is not a store; write sqlite:///FILE"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("mysql://host/db", "a store cannot be mysql"),
        ("sqlite:////nowhere/at/all/x.db", "there is no folder '/nowhere/at/all'"),
        ("postgresql://ann:secret@/x?host=/nowhere", "//ann:\\*\\*\\*@/x.*"),
    ],
)
def test_a_url_that_leads_nowhere_is_explained(url: str, reason: str) -> None:
    with pytest.raises((ArgumentError, FileError), match=reason) as error:
        Store.open(url)
    assert "secret" not in str(error.value)


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to look at\n" * 100, "utf-8")
    with pytest.raises(FileError, match=r"notes\.txt: file is not a database"):
        Store.open(f"sqlite:///{path}")
    assert path.read_text("utf-8").startswith("not a database")


@pytest.mark.parametrize(
    ("missing", "url", "extra"),
    [("sqlalchemy", "sqlite:///x.db", "campaigns"), ("psycopg", "postgresql://x/y", "postgres")],
)
def test_a_missing_driver_says_what_to_install(missing: str, url: str, extra: str) -> None:
    code = (
        "import sys\n"
        "class Block:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {missing!r}:\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Block())\n"
        "from newsdesk.errors import MissingExtraError\n"
        "try:\n"
        "    from newsdesk.campaigns.store import Store\n"
        f"    Store.open({url!r})\n"
        "except MissingExtraError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(f"pip install 'newsdesk[{extra}]'")


def test_sqlite_waits_for_the_disk_and_checks_references(tmp_path: Path) -> None:
    with (
        Store.open(f"sqlite:///{tmp_path / 'store.db'}") as store,
        store._database.read() as connection,
    ):
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert settings == {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 120_000,
    }  # fmt: skip
