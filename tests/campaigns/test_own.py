"""One annotator's own tasks: listed without texts, opened one at a time, undone without losing history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from newsdesk.campaigns import Store, Target, Task, protocol
from newsdesk.campaigns.screens import answers_of, guidance_of, screen_of, summary_of
from newsdesk.errors import ArgumentError, DataError
from tests.campaigns.worlds import numbers_of

GRADE, RANK = protocol("grade"), protocol("rank")
TASKS = [Task(f"c{n}", "a", (Target(f"c{n}", f"Text {n}."),), (), "The article.") for n in range(4)]
RANKED = [
    Task("e", "e", tuple(Target(f"s{n}", text) for n, text in enumerate(("x", "y", "x", "z"))))
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as opened:
        opened.create("g", GRADE, TASKS, ["ann", "ben", "cy"], per_item=2, seed=0)
        opened.create("r", RANK, RANKED, ["ann", "ben"], per_item=2, seed=0)
        yield opened


def at(minute: int) -> str:
    return f"2026-01-02T09:{minute:02}:00Z"


def grade(store: Store, task: str, value: str | int, minute: int) -> None:
    store.answer("g", "ann", task, {(task, "grade"): value}, at=at(minute))


def test_places_are_those_of_the_assignments_in_their_order(store: Store) -> None:
    for who in ("ann", "ben", "cy"):
        opened = [store.open_task("g", who, place.number) for place in store.places("g", who)]
        places = [each and each.assignment.task.id for each in opened]
        assert places == [each.task.id for each in store.assignments("g", who)]


def test_a_task_opens_for_its_annotator_alone(store: Store) -> None:
    own = {place.number for place in store.places("g", "ann")}
    others = {place.number for place in store.places("g", "ben")}
    for number in (*own, *others, *range(-1, 6), 2**28, 2**31):
        opened = store.open_task("g", "ann", number)
        assert (opened is not None) is (number in own)
        if opened is not None:
            assert (opened.article, dict(opened.answers)) == ("The article.", {})


def test_undo_reopens_a_first_answer_and_restores_an_earlier_one(store: Store) -> None:
    task, number = next(iter(numbers_of(store, "g", "ann").items()))
    grade(store, task, 4, 1)
    assert store.undo("g", "ann", number, at=at(2)).corrected == 1
    [judgment] = store.judgments("g")
    assert judgment.withdrawn and store.places("g", "ann")[0].state == "claimed"
    grade(store, task, 3, 3)
    grade(store, task, 5, 4)
    store.undo("g", "ann", number, at=at(5))
    assert [each.value for each in store.judgments("g")] == [3]
    assert store.places("g", "ann")[0].state == "done"
    history = [each.value for each in store.judgments("g", current=False)]
    assert history == [4, "cannot-judge", 3, 5, 3]


def test_undo_without_an_answer_or_of_a_foreign_task_is_refused(store: Store) -> None:
    own = {place.number for place in store.places("g", "ann")}
    with pytest.raises(ArgumentError, match="no answer to undo"):
        store.undo("g", "ann", min(own), at=at(1))
    foreign = min({place.number for place in store.places("g", "ben")} - own)
    with pytest.raises(ArgumentError, match="has no task"):
        store.undo("g", "ann", foreign, at=at(1))


def test_a_screen_shows_letters_and_never_targets(store: Store) -> None:
    opened = store.open_task("r", "ann", numbers_of(store, "r", "ann")["e"])
    assert opened is not None
    screen = screen_of(RANK, opened)
    assert [text.letter for text in screen.texts] == ["A", "B", "C", "D"]
    assert sum(text.same_as is not None for text in screen.texts) == 1
    assert not [name for name in ("s0", "s1", "s2", "s3") if name in repr(screen)]
    assert [option.value for option in screen.options] == ["1", "2", "3", "4"]
    assert screen.ends == "1 best … 4 worst"


def test_a_returned_form_is_stored_under_its_targets_and_shown_again(store: Store) -> None:
    opened = store.open_task("r", "ann", numbers_of(store, "r", "ann")["e"])
    assert opened is not None
    asked = [text.letter for text in screen_of(RANK, opened).texts if text.same_as is None]
    ranks = {letter: str(rank) for rank, letter in enumerate(asked, 1)}
    fields = {f"{a}.{q.name}": [rank] for a, rank in ranks.items() for q in RANK.questions}
    with pytest.raises(DataError, match=r"A \(overall\): no answer yet"):
        answers_of(RANK, opened, {k: v for k, v in fields.items() if k != "A.overall"})
    with pytest.raises(DataError, match="not a rank from 1 to 4"):
        answers_of(RANK, opened, {**fields, "A.overall": ["9"]})
    answers = answers_of(RANK, opened, fields)
    assert len(answers) == 12  # the repeated text has the answers of the first
    store.answer("r", "ann", "e", answers, at=at(1))
    again = store.open_task("r", "ann", opened.number)
    assert again is not None
    assert screen_of(RANK, again).chosen["A.overall"] == "1"
    assert summary_of(RANK, screen_of(RANK, again)).startswith("informative: A 1, ")
    withdrawn = answers_of(RANK, again, {"cannot": ["1"]})
    assert set(withdrawn.values()) == {"cannot-judge"}


def test_guidance_on_a_screen_speaks_of_no_sheet() -> None:
    for name in ("grade", "constructive", "rank", "relate"):
        lines = guidance_of(protocol(name))
        assert lines and not [line for line in lines if "sheet" in line or "link" in line.lower()]
    assert any("link" in line for line in guidance_of(RANK, linked=True))
