"""Erased articles leave no trace in the database, and everything else is as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.store.schema import erase_articles
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.corpus.forget.targets import Request
from newsdesk.errors import ArgumentError, FileError
from newsdesk.studies.forgetting import forget_everywhere
from tests.campaigns.worlds import AT, GRADE, grade_tasks


def fill(url: str) -> None:
    """Two campaigns with one judgment a task: on comments of articles, and on articles of clusters."""
    with Store.open(url) as store:
        store.create("grades", GRADE, grade_tasks(6), ["ann"], per_item=1, seed=0)
        relate = protocol("relate")
        tasks = [
            Task(f"e1|article{n}", "e1", (Target(f"article{n}", f"text of article{n} " * 50),))
            for n in range(3)
        ]
        store.create("related", relate, tasks, ["ann"], per_item=1, seed=0)
        for name, form in (("grades", GRADE), ("related", relate)):
            while (todo := store.claim(name, "ann", at=AT)) is not None:
                answers = {
                    (target.id, question.name): form.levels[0].value
                    for target in todo.task.targets
                    for question in form.questions
                }
                store.answer(name, "ann", todo.task.id, answers, at=AT, seconds=1)


def items(url: str) -> dict[str, set[str]]:
    with Store.open(url, create=False) as store:
        return {
            "grades": {each.item for each in store.judgments("grades")},
            "related": {each.target for each in store.judgments("related")},
        }


def test_an_article_goes_with_its_judgments_from_every_campaign(url: str, tmp_path: Path) -> None:
    fill(url)
    before = items(url)
    assert before == {
        "grades": {"article0", "article1"},
        "related": {"article0", "article1", "article2"},
    }
    with Store.open(url, create=False) as store:
        assert erase_articles(store, ["article1"]) == 4
        assert store.status("grades").done == 3
    assert items(url) == {"grades": {"article0"}, "related": {"article0", "article2"}}
    for file in tmp_path.iterdir():  # the log too
        assert b"article1" not in file.read_bytes()
        assert b"comment 4" not in file.read_bytes()
    with (
        Store.open(url, create=False) as store,
        pytest.raises(sa.exc.SQLAlchemyError, match="append-only"),
        store.database.write() as connection,
    ):
        connection.exec_driver_sql("DELETE FROM judgments")


def test_nothing_to_erase_and_no_store_are_one_line(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    fill(url)
    with Store.open(url, create=False) as store:
        with pytest.raises(ArgumentError, match="nothing to erase"):
            erase_articles(store, [])
        assert erase_articles(store, ["nobody"]) == 0
    (tmp_path / "corpus").mkdir()
    request = Request(articles=("article1",))
    with pytest.raises(FileError, match="no such store"):
        forget_everywhere(
            tmp_path / "corpus", tmp_path / "new", request, stores=["sqlite:///none.db"]
        )
    assert not (tmp_path / "new").exists()
    done = forget_everywhere(tmp_path / "corpus", tmp_path / "new", request, stores=[url])
    assert done.judgments == 4
