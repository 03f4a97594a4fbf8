"""A store moved from SQLite to PostgreSQL: every row, resumable, into nothing but an empty database, while nobody else writes."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.store import Store, schema
from newsdesk.errors import DataError, FileError
from newsdesk.service import moving
from newsdesk.service.app import create_app
from newsdesk.service.desk import Desk
from newsdesk.service.moving import move_store
from newsdesk.service.settings import STORE, ServiceSettings
from tests.campaigns.worlds import AT, GRADE, answers, grade_tasks
from tests.cli.running import run
from tests.service.office import Office

TASKS = 60


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with answers, a file, an action of a moderator, a key and a person."""
    desk = Desk.open(ServiceSettings(tmp_path / "desk"))
    with contextlib.closing(desk):
        desk.store.create("pilot", GRADE, grade_tasks(TASKS), ["ann", "ben"], per_item=2, seed=0)
        _answer(desk.store, 20)
        file = desk.library.add(io.BytesIO(b"article,text\na,Well.\n"), "Ü.csv", "comments", "ann")
        desk.moderation.act("pin", "mia", file.id, "a", "c1")
        desk.access.add_key("program", ["read"])
        desk.access.invite("pilot", "ann")
    return tmp_path / "desk"


def _answer(store: Store, count: int) -> None:
    for number in range(count):
        todo = store.claim("pilot", "ann", at=AT)
        assert todo is not None
        store.answer(
            "pilot", "ann", todo.task.id, answers(GRADE, todo.task, [1 + number % 5]), at=AT
        )


def _judged(store: Store) -> list[str]:
    return [repr(judgment) for judgment in store.judgments("pilot", current=False, names=True)]


def test_all_is_there_and_the_work_goes_on(data: Path, empty_postgresql: str) -> None:
    with Store.open(f"sqlite:///{data / STORE}") as store:
        before = _judged(store)
    result = run("serve", "move", "--data", str(data), "--store", empty_postgresql)
    assert (result.returncode, result.stdout) == (0, "")
    assert "the old store is kept as" in result.stderr
    assert not (data / STORE).exists() and (data / f"{STORE}.moved").is_file()
    assert not list((data / STORE).parent.glob("*-wal"))
    with Office.opened(create_app(ServiceSettings(data, store=empty_postgresql))) as office:
        desk = office.desk
        assert _judged(desk.store) == before and len(before) == 20
        _answer(desk.store, 3)
        assert len(_judged(desk.store)) == 23
        assert [file.name for file in desk.library.all()] == ["Ü.csv"]
        [file] = desk.library.all()
        assert [each.comment for each in desk.moderation.standing(file.id, "a")] == ["c1"]
        desk.moderation.act("hide", "mia", file.id, "a", "c2")
        assert [key.label for key in desk.access.all_keys()] == ["program"]
        assert desk.access.invited("pilot") == {"ann"}
        desk.store.create("second", GRADE, grade_tasks(2), ["eve"], per_item=1, seed=0)
    again = run("serve", "move", "--data", str(data), "--store", empty_postgresql)
    assert again.returncode == 1 and "was moved already; serve it with --store" in again.stderr


def test_a_move_that_was_stopped_goes_on(
    data: Path, empty_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_ROWS", 7)
    inserted: list[int] = []

    def stop(progress: object) -> None:
        inserted.append(1)
        if len(inserted) == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move_store(data, empty_postgresql, progress=stop)
    assert (data / STORE).is_file()
    with Store.open(empty_postgresql) as target, target.database.read() as connection:
        part = {name: _rows(connection, name) for name in schema.metadata.tables}
    assert 0 < part["tasks"] < TASKS and not part["judgments"]
    monkeypatch.undo()
    done = move_store(data, empty_postgresql)
    with Store.open(empty_postgresql) as target:
        assert len(_judged(target)) == 20
        assert target.status("pilot").slots == 2 * TASKS
    assert done.rows > 3 * TASKS


def _rows(connection: sa.Connection, table: str) -> int:
    return int(connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())


def test_a_store_that_changed_after_a_stop_is_refused(
    data: Path, empty_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_verify", _stopped)
    with pytest.raises(KeyboardInterrupt):
        move_store(data, empty_postgresql)
    monkeypatch.undo()
    with Store.open(f"sqlite:///{data / STORE}") as store:
        _answer(store, 1)
    with pytest.raises(FileError, match="or of this one before it changed; name an empty database"):
        move_store(data, empty_postgresql)
    assert (data / STORE).is_file()


def _stopped(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_row_that_was_altered_in_the_copy_is_found(
    data: Path, empty_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_verify", _stopped)
    with pytest.raises(KeyboardInterrupt):
        move_store(data, empty_postgresql)
    monkeypatch.undo()
    with Store.open(empty_postgresql) as target, target.database.write() as connection:
        connection.exec_driver_sql("UPDATE targets SET text = 'altered' WHERE task = 3")
    with pytest.raises(DataError, match="'targets' has 60 rows in the copy and 60 in the store"):
        move_store(data, empty_postgresql)
    assert (data / STORE).is_file()


def test_a_database_that_is_not_empty_is_refused(data: Path, empty_postgresql: str) -> None:
    with Store.open(empty_postgresql) as target:
        target.create("other", GRADE, grade_tasks(2), ["eve"], per_item=1, seed=0)
    with pytest.raises(FileError, match="holds rows in the table 'campaigns'; name an empty"):
        move_store(data, empty_postgresql)


def test_a_store_that_a_server_has_open_is_refused(data: Path, empty_postgresql: str) -> None:
    with Office.opened(create_app(ServiceSettings(data))) as office:
        office.desk.store.campaigns()
        result = run("serve", "move", "--data", str(data), "--store", empty_postgresql)
        assert result.returncode == 1 and "stop the server first" in result.stderr
    assert move_store(data, empty_postgresql).tables > 10


def test_what_is_no_store_or_no_postgresql_is_said(tmp_path: Path, data: Path) -> None:
    result = run("serve", "move", "--data", str(tmp_path / "none"), "--store", "postgresql:///x")
    assert result.returncode == 1 and "no such store" in result.stderr
    result = run("serve", "move", "--data", str(data), "--store", "sqlite:///x.db")
    assert result.returncode == 1 and "write postgresql://…" in result.stderr
