"""A store that somebody wants to break: NUL characters in every field, erasure under load, files that others may read."""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from newsdesk.campaigns.campaign import Stored
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.store.schema import erase_articles
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Judgment
from tests.campaigns.worlds import AT, GRADE, answers, grade_tasks

NUL = "a\0b"
TARGET = Target("c0", "comment")


SOUND = Judgment("pilot", "c0", "article0", "c0", "quality", 3, "ann", at=AT)


def judgment(**changed: str) -> Judgment:
    return replace(SOUND, **changed)  # type: ignore[arg-type]


WITH_NUL: dict[str, Callable[[Store], object]] = {
    "the name of a campaign": lambda store: store.campaign(NUL),
    "an annotator who joins": lambda store: store.join("pilot", NUL, invited=True),
    "an annotator who claims": lambda store: store.claim("pilot", NUL, at=AT),
    "an annotator who is read": lambda store: list(store.assignments("pilot", NUL)),
    "the task of an answer": lambda store: store.answer("pilot", "ann", NUL, {}, at=AT),
    "the target of an answer": lambda store: store.answer("pilot", "ann", "c0", {(NUL, "quality"): 3}, at=AT),
    "the reason of an exclusion": lambda store: store.exclude("pilot", "ann", NUL, at=AT),
    "the text of a task": lambda store: store.create(
        "more", GRADE, [Task("t", "i", (Target("x", NUL),))], ["ann"], per_item=1, seed=0),
    "the id of a task": lambda store: store.create(
        "more", GRADE, [Task(NUL, "i", (TARGET,))], ["ann"], per_item=1, seed=0),
    "the item of a task": lambda store: store.create(
        "more", GRADE, [Task("t", NUL, (TARGET,))], ["ann"], per_item=1, seed=0),
    "the context of a task": lambda store: store.create(
        "more", GRADE, [Task("t", "i", (TARGET,), ((NUL, NUL),))], ["ann"], per_item=1, seed=0),
    "a new annotator": lambda store: store.create(
        "more", GRADE, [Task("t", "i", (TARGET,))], [NUL], per_item=1, seed=0),
    "a new campaign": lambda store: store.create(
        NUL, GRADE, [Task("t", "i", (TARGET,))], ["ann"], per_item=1, seed=0),
    "an imported annotator": lambda store: store.import_judgments("pilot", [judgment(annotator=NUL)]),
    "an imported task": lambda store: store.import_judgments("pilot", [judgment(task=NUL)]),
    "an imported target": lambda store: store.import_judgments("pilot", [judgment(target=NUL)]),
    "an imported question": lambda store: store.import_judgments("pilot", [judgment(question=NUL)]),
    "an imported item": lambda store: store.import_judgments("pilot", [judgment(item=NUL)]),
    "an erased article": lambda store: erase_articles(store, [NUL]),
}  # fmt: skip


def test_a_nul_in_any_field_is_one_sentence_and_changes_nothing(store: Store) -> None:
    store.create("pilot", GRADE, grade_tasks(3), ["ann"], per_item=1, seed=0)
    wrong = {}
    for field, attack in WITH_NUL.items():
        try:
            result = attack(store)
            if not (isinstance(result, Stored) and result.rejected):
                wrong[field] = f"was taken: {result}"
        except (ArgumentError, DataError) as error:
            if "\0" in str(error) or "\n" in str(error):
                wrong[field] = str(error)
        except Exception as error:  # noqa: BLE001, any other one is a traceback
            wrong[field] = repr(error)
    assert wrong == {}
    assert [campaign.name for campaign in store.campaigns()] == ["pilot"]
    assert list(store.judgments("pilot")) == []


def test_articles_are_erased_while_others_answer_and_nothing_of_them_stays(
    url: str, tmp_path: Path
) -> None:
    """Erasing rewrites the whole database: answers wait for it, and none that was acknowledged is lost."""
    with Store.open(url) as store:
        store.create("pilot", GRADE, grade_tasks(90), None, per_item=2, seed=0)
    erased = {"article3", "article17"}
    acknowledged: list[tuple[str, str]] = []
    failures: list[str] = []

    def annotate(name: str) -> None:
        with Store.open(url, create=False) as own:
            own.join("pilot", name)
            while (todo := own.claim("pilot", name, at=AT)) is not None:
                try:
                    own.answer("pilot", name, todo.task.id, answers(GRADE, todo.task, [3]), at=AT)
                    acknowledged.append((name, todo.task.id))
                except ArgumentError as error:  # the task went in the meantime
                    if todo.task.item not in erased:
                        failures.append(str(error))
                except Exception as error:  # noqa: BLE001, reported below
                    failures.append(repr(error))
                    return

    people = [threading.Thread(target=annotate, args=(f"p{n}",)) for n in range(6)]
    for person in people:
        person.start()
    with Store.open(url, create=False) as store:
        while len(acknowledged) < 20 and any(person.is_alive() for person in people):
            time.sleep(0.005)
        erase_articles(store, sorted(erased))
    for person in people:
        person.join()
    with Store.open(url, create=False) as store:
        stored = {(j.annotator, j.task) for j in store.judgments("pilot", names=True)}
        items = {task.item for task in store.tasks("pilot")}
        gone = {f"c{n}" for n in range(90) if f"article{n // 3}" in erased}
        assert failures == []
        assert not items & erased and not {task for _, task in stored} & gone
        assert {pair for pair in acknowledged if pair[1] not in gone} == stored
        assert len(stored) == 2 * 84
        store.database.compact()
    for file in tmp_path.iterdir():
        assert b"article17" not in file.read_bytes()


def test_nobody_else_can_read_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(f"sqlite:///{path}") as store:
        store.create("pilot", GRADE, grade_tasks(3), ["ann"], per_item=1, seed=0)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert len(modes) == 3 and set(modes.values()) == {0o600}, modes
