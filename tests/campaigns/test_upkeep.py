"""A campaign that runs, by the command: items added, tasks given and given back, gold answers, notes, payments, a person erased."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, samples
from newsdesk.campaigns import Store
from newsdesk.campaigns.upkeep import (
    add_tasks,
    against_gold,
    decide,
    forget_person,
    give_tasks,
    note_task,
    task_notes,
)
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Judgment
from tests.campaigns.workers import killed_at_commit
from tests.campaigns.worlds import AT, GRADE, answers, grade_tasks, numbers_of
from tests.cli.running import run


def states(store: Store) -> dict[str, tuple[int, int]]:
    """Done and all tasks of each annotator."""
    return {who.name: (who.done, who.slots) for who in store.status("pilot").annotators}


def grade_all(
    store: Store, annotator: str, values: Sequence[int], seconds: float | None = 30
) -> None:
    for each, value in zip(list(store.assignments("pilot", annotator)), values, strict=False):
        graded = answers(GRADE, each.task, [value])
        store.answer("pilot", annotator, each.task.id, graded, at=AT, seconds=seconds)


@pytest.fixture
def pilot(store: Store) -> Store:
    """Two people who grade twelve comments each, four of them controls."""
    store.create("pilot", GRADE, grade_tasks(12, controls=4), ["ann", "ben"], per_item=2, seed=0)
    return store


def test_added_tasks_come_behind_and_the_others_stay_as_they_are(pilot: Store) -> None:
    before = [each.task.id for each in pilot.assignments("pilot", "ann")]
    grade_all(pilot, "ann", [3] * 12)
    assert add_tasks(pilot, "pilot", grade_tasks(20)[12:]) == 8
    assert [each.task.id for each in pilot.assignments("pilot", "ann")][:12] == before
    assert states(pilot) == {"ann": (12, 20), "ben": (0, 20)}
    # The same again, with those there were, adds nothing.
    assert add_tasks(pilot, "pilot", grade_tasks(20)[12:]) == 0
    assert pilot.status("pilot").tasks == 20
    grade_all(pilot, "ann", [3] * 20)
    assert states(pilot)["ann"] == (20, 20)


def test_a_task_with_other_texts_is_refused_and_nothing_is_added(pilot: Store) -> None:
    with pytest.raises(ArgumentError, match="has a task 'c3' with other texts"):
        add_tasks(pilot, "pilot", [*grade_tasks(14)[12:], grade_tasks(4)[3]])
    assert pilot.status("pilot").tasks == 12


def test_a_killed_addition_leaves_nothing(url: str) -> None:
    with Store.open(url) as store:
        store.create("pilot", GRADE, grade_tasks(4), ["ann", "ben"], per_item=1, seed=0)
    killed_at_commit(url, add_tasks, "pilot", grade_tasks(9)[4:])
    with Store.open(url) as store:
        assert store.status("pilot").tasks == 4
        assert add_tasks(store, "pilot", grade_tasks(9)) == 5
        assert store.status("pilot").slots == 9


def test_tasks_go_from_one_to_another_who_joins(pilot: Store) -> None:
    grade_all(pilot, "ann", [3] * 5)
    assert give_tasks(pilot, "pilot", "dora", 4, source="ann") == 4
    assert states(pilot) == {"ann": (5, 8), "ben": (0, 12), "dora": (0, 4)}
    # What is answered is not given away, and nobody gets a task twice.
    assert give_tasks(pilot, "pilot", "dora", 50, source="ann") == 3
    assert give_tasks(pilot, "pilot", "dora", 50, source="ben") == 5
    grade_all(pilot, "dora", [4] * 12)
    assert states(pilot)["dora"] == (12, 12)


def test_released_tasks_are_free_for_others(pilot: Store) -> None:
    from newsdesk.campaigns.upkeep import give_back

    grade_all(pilot, "ann", [3] * 5)
    assert give_back(pilot, "pilot", "ann") == 7
    assert states(pilot)["ann"] == (5, 5)
    assert give_tasks(pilot, "pilot", "dora", 50) == 7
    assert pilot.status("pilot").slots == 24


def test_one_more_annotator_for_tasks_that_have_enough(pilot: Store) -> None:
    assert give_tasks(pilot, "pilot", "dora", 3, extra=True) == 3
    assert pilot.status("pilot").slots == 27
    with pytest.raises(ArgumentError, match="not both"):
        give_tasks(pilot, "pilot", "dora", 3, source="ann", extra=True)
    with pytest.raises(ArgumentError, match="give tasks to themselves"):
        give_tasks(pilot, "pilot", "ann", 3, source="ann")


def gold(value: int, task: str = "c5") -> Judgment:
    return Judgment("any", task, "article1", task, "grade", value, "somebody")


def test_gold_answers_stand_apart_from_the_votes(pilot: Store) -> None:
    grade_all(pilot, "ann", [4] * 12)
    grade_all(pilot, "ben", [2] * 12)
    votes = list(pilot.judgments("pilot"))
    assert decide(pilot, "pilot", [gold(4), gold(2, "c6")], by="lead", at=AT) == 2
    assert decide(pilot, "pilot", [gold(4)], by="lead", at=AT) == 0
    assert decide(pilot, "pilot", [gold(5)], by="lead", at=AT) == 1
    assert list(pilot.judgments("pilot")) == votes
    by_name = {pilot.annotator_id("pilot", name): name for name in ("ann", "ben")}
    found = {by_name[key]: value for key, value in against_gold(pilot, "pilot").items()}
    assert found == {"ann": (0, 2), "ben": (1, 2)}
    for wrong, reason in ((gold(9), "9 is not one of"), (gold(3, "c99"), "no task 'c99'")):
        with pytest.raises(DataError, match=reason):
            decide(pilot, "pilot", [wrong], by="lead", at=AT)


def test_a_note_is_kept_with_its_task_and_can_be_taken_back(pilot: Store) -> None:
    number = numbers_of(pilot, "pilot", "ann")["c7"]
    note_task(pilot, "pilot", "ann", number, "cut off in the middle", at=AT)
    note_task(pilot, "pilot", "ann", number, "cut off at the end", at=AT)
    assert [
        (each.task, each.annotator, each.text) for each in task_notes(pilot, "pilot", names=True)
    ] == [("c7", "ann", "cut off at the end")]
    note_task(pilot, "pilot", "ann", number, " ", at=AT)
    assert task_notes(pilot, "pilot") == []
    with pytest.raises(ArgumentError, match="at most 2000 characters"):
        note_task(pilot, "pilot", "ann", number, "x" * 2_001, at=AT)
    with pytest.raises(ArgumentError, match="is not the number of a task"):
        note_task(pilot, "pilot", "ann", 1 << 27, "x", at=AT)


def test_an_erased_person_is_nowhere_and_the_results_are_those_without_them(
    pilot: Store, url: str
) -> None:
    grade_all(pilot, "ann", [4] * 12)
    grade_all(pilot, "ben", [2] * 12)
    note_task(pilot, "pilot", "ben", numbers_of(pilot, "pilot", "ben")["c7"], "mine", at=AT)
    killed_at_commit(url, forget_person, "pilot", "ben")
    assert states(pilot)["ben"] == (12, 12)
    assert forget_person(pilot, "pilot", "ben") == 12
    assert states(pilot) == {"ann": (12, 12)}
    assert {each.value for each in pilot.judgments("pilot", current=False)} == {4}
    assert task_notes(pilot, "pilot") == []
    assert pilot.status("pilot").open == 12
    with pytest.raises(ArgumentError, match="'ben' is not an annotator"):
        forget_person(pilot, "pilot", "ben")
    # Judgments are append-only as before, and somebody else can take the tasks over.
    assert give_tasks(pilot, "pilot", "dora", 12) == 12
    if url.startswith("sqlite"):
        assert b"ben" not in Path(url.removeprefix("sqlite:///")).read_bytes()


@pytest.mark.timeout(300)
def test_the_commands_of_a_campaign_that_runs(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    outputs = list(samples.outputs())
    records.write(tmp_path / "first.jsonl", outputs[:16])
    records.write(tmp_path / "all.jsonl", outputs[:24])
    records.write(tmp_path / "clusters.jsonl", samples.clusters())

    def newsdesk(*words: str, code: int = 0) -> Any:
        done = run("campaign", *words, "--store", url)
        assert done.returncode == code, done.stderr
        return done

    references = ("--references", f"{tmp_path}/clusters.jsonl")
    newsdesk(
        "new",
        "pilot",
        f"{tmp_path}/first.jsonl",
        "--protocol",
        "da",
        *references,
        "--annotators",
        "ann,ben",
    )
    added = newsdesk("add", "pilot", f"{tmp_path}/all.jsonl", *references)
    assert "8 tasks added, 16 were there already" in added.stderr
    refused = newsdesk("add", "pilot", code=1)
    assert "--threads, or files of outputs" in refused.stderr
    assert (
        "5 tasks given"
        in newsdesk("assign", "pilot", "dora", "--tasks", "5", "--from", "ann").stderr
    )
    assert "24 tasks open again" in newsdesk("release", "pilot", "ben").stderr
    assert "0 tasks open again" in newsdesk("release", "pilot").stderr
    newsdesk("release", "pilot", "ben", "--before", AT, code=2)
    with Store.open(url) as store:
        form = store.campaign("pilot").protocol
        for name, score in (("ann", 80), ("dora", 40)):
            for each in list(store.assignments("pilot", name))[:5]:
                store.answer(
                    "pilot",
                    name,
                    each.task.id,
                    answers(form, each.task, [score]),
                    at=AT,
                    seconds=90,
                )
        shared = give_tasks(store, "pilot", "eve", 24)
        todo = {each.task.id: each.task for each in store.assignments("pilot", "eve")}
        for task in list(todo.values()):
            store.answer("pilot", "eve", task.id, answers(form, task, [60]), at=AT)
        assert shared == 24
    divided = json.loads(newsdesk("adjudicate", "pilot", "--json").stdout)["disagreements"]
    assert divided and all(len(row["answers"]) == 2 and row["gold"] is None for row in divided)
    first = divided[0]
    decided = Judgment("pilot", first["task"], first["item"], first["target"], "score", 70, "lead")
    records.write(tmp_path / "gold.jsonl", [decided])
    assert (
        "1 gold answer stored"
        in newsdesk("adjudicate", "pilot", f"{tmp_path}/gold.jsonl", "--by", "lead").stderr
    )
    again = json.loads(newsdesk("adjudicate", "pilot", "--json").stdout)["disagreements"]
    assert [row["gold"] for row in again if row["task"] == first["task"]] == [70]
    newsdesk("adjudicate", "pilot", f"{tmp_path}/gold.jsonl", code=2)
    paid = json.loads(newsdesk("payments", "pilot", "--per-hour", "20", "--json").stdout)[
        "payments"
    ]
    rows = {row["name"]: row for row in paid}
    assert (rows["ann"]["tasks"], rows["ann"]["hours"], rows["ann"]["due"]) == (5, 0.125, 2.5)
    assert (rows["eve"]["untimed"], rows["eve"]["due"]) == (24, 12.0)
    assert "below zero" in newsdesk("payments", "pilot", "--per-hour=-1", code=1).stderr
    assert newsdesk("notes", "pilot", "--json").stdout.strip() == '{"notes": []}'
    assert "24 judgments erased" in newsdesk("forget", "pilot", "eve").stderr
    report = json.loads(newsdesk("report", "pilot", "--json").stdout)
    assert report["progress"]["annotators"] == 3
    assert report["progress"]["judgments"] == 10
