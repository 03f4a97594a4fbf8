"""The items of a campaign, as its lead sees them: found by words and state, each with everybody's answers; quick at 5,000."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from newsdesk.campaigns import Store
from newsdesk.campaigns.store.items import ItemFilter
from newsdesk.types import Value
from tests.campaigns.worlds import AT, GRADE, LATER, RANK, grade_tasks, rank_tasks
from tests.service.office import HTML, Office


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store.open(f"sqlite:///{tmp_path}/store.db")
    store.create("pilot", GRADE, grade_tasks(6), ["ann", "ben"], per_item=2, seed=0)
    given: dict[str, tuple[Value, ...]] = {"ann": (1, 2, 3), "ben": (1, 5, "cannot-judge")}
    for who, grades in given.items():
        for number, grade in enumerate(grades):
            store.answer("pilot", who, f"c{number}", {(f"c{number}", "grade"): grade}, at=AT)
    store.answer("pilot", "ann", "c4", {("c4", "grade"): 4}, at=AT)
    return store


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ("all", ["c0", "c1", "c2", "c3", "c4", "c5"]),
        ("open", ["c3", "c4", "c5"]),
        ("done", ["c0", "c1", "c2"]),
        ("differ", ["c1", "c2"]),
        ("withdrawn", ["c2"]),
    ],
)
def test_a_filter_leaves_the_items_it_names(
    store: Store, only: ItemFilter, names: list[str]
) -> None:
    listed, count = store.items("pilot", only=only)
    assert [each.task.id for each in listed] == names
    assert count == len(names)


def test_a_corrected_answer_and_one_of_the_excluded_differ_from_nobody(store: Store) -> None:
    store.answer("pilot", "ben", "c1", {("c1", "grade"): 2}, at=LATER)
    assert [each.task.id for each in store.items("pilot", only="differ")[0]] == ["c2"]
    store.exclude("pilot", "ben", "asleep", at=LATER)
    assert store.items("pilot", only="differ") == ([], 0)


def test_a_search_finds_all_its_words_in_names_context_and_texts(store: Store) -> None:
    assert [each.task.id for each in store.items("pilot", search="COMMENT 4")[0]] == ["c4"]
    assert [each.task.id for each in store.items("pilot", search="article1 comment")[0]] == [
        "c3", "c4", "c5",
    ]  # fmt: skip
    assert store.items("pilot", search="100%") == ([], 0)  # no wildcards
    listed, count = store.items("pilot", first=4, most=1)
    assert ([each.number for each in listed], count) == ([4], 6)
    assert [(each.done, each.slots) for each in listed] == [(1, 2)]


def test_an_item_has_the_last_answers_of_everybody_by_name(store: Store) -> None:
    store.answer("pilot", "ben", "c1", {("c1", "grade"): 3}, at=LATER, seconds=7)
    item = store.item("pilot", 1)
    assert (item.before, item.after, item.task.id) == (0, 2, "c1")
    answers = {each.annotator: (each.values[("c1", "grade")], each.at) for each in item.answers}
    assert answers == {"ann": (2, AT), "ben": (3, LATER)}
    assert store.item("pilot", 5).after is None
    assert [each.values for each in store.item("pilot", 5).answers] == [{}, {}]


def test_the_lead_sees_answers_and_systems_of_an_item_and_no_annotator_does(
    office: Office,
) -> None:
    tasks = rank_tasks(3)
    office.desk.store.create("ranks", RANK, tasks, ["ann", "ben"], per_item=2, seed=0)
    ranks = {
        (target.id, question.name): place + 1
        for place, target in enumerate(tasks[1].targets)
        for question in RANK.questions
    }
    office.desk.store.answer("ranks", "ann", "t1", ranks, at=AT)
    admin = office.admin()
    page = admin.get("/campaigns/ranks/items/1", headers=HTML).text
    assert [f">{name}" in page for name in ("s0", "s1", "s2", "s3")] == [True] * 4
    assert page.count("no answer yet") == 4 * len(RANK.questions)  # ben's
    assert re.findall(r"<strong>(\d)</strong>", page) == [
        str(place) for place in (1, 2, 3, 4) for _ in RANK.questions
    ]
    listed = admin.get("/campaigns/ranks/items?q=t2+happened", headers=HTML).text
    assert "1 item with" in listed and "/campaigns/ranks/items/2" in listed
    assert office.annotator("ranks", "ann").get("/campaigns/ranks/items/1").status_code == 403
    assert admin.get("/campaigns/ranks/items/3").status_code == 404


def test_lists_of_5_000_tasks_are_pages_that_answer_quickly(office: Office) -> None:
    office.campaign("large", "grade", tasks=grade_tasks(5_000))
    ann, admin = office.annotator("large", "ann"), office.admin()
    for client, path in (
        (ann, "/annotate/large"),
        (ann, "/annotate/large?only=open&first=4900"),
        (admin, "/campaigns/large/items?only=open"),
        (admin, "/campaigns/large/items?q=comment+4321"),
    ):
        client.get(path, headers=HTML)
        begun = time.process_time()
        text = client.get(path, headers=HTML).text
        assert time.process_time() - begun < 0.5, path
        assert len(text) < 60_000, path
    first = ann.get("/annotate/large", headers=HTML).text
    assert first.count("/annotate/large/tasks/") <= 250
    assert "0 of 5000 done" in first
