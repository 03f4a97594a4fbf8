"""Judgments in bulk: whole tasks, once, with a reason for all that is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from newsdesk.campaigns.campaign import Rejection, Stored
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.types import Judgment
from tests.campaigns.worlds import (
    AT,
    GRADE,
    RANK,
    VOTE,
    answers,
    grade_tasks,
    judgments,
    rank_tasks,
    vote_tasks,
)


@pytest.fixture
def pilot(store: Store) -> Store:
    store.create("pilot", RANK, rank_tasks(4), ["ann", "ben"], per_item=2, seed=0)
    return store


def file_of(*annotators: str) -> list[Judgment]:
    return [
        judgment
        for name in annotators
        for task in rank_tasks(4)
        for judgment in judgments("pilot", RANK, task, name, (2, 1, 1, 3))
    ]


def test_a_file_is_stored_as_it_is(pilot: Store) -> None:
    batch = file_of("ann", "ben")
    assert pilot.import_judgments("pilot", batch) == Stored(new=96)
    stored = {each.key: each for each in pilot.judgments("pilot", names=True)}
    letters = {
        (name, todo.task.id, target): letter
        for name in ("ann", "ben")
        for todo in pilot.assignments("pilot", name)
        for target, letter in todo.slot.shown.items()
    }
    for each in batch:
        shown = letters[each.annotator, each.task, each.target]
        assert stored[each.key] == replace(each, shown=shown, control=False)
    assert pilot.status("pilot").done == 8


def test_the_same_file_twice_changes_nothing(pilot: Store) -> None:
    pilot.import_judgments("pilot", file_of("ann"))
    before = list(pilot.judgments("pilot", current=False)), pilot.status("pilot")
    assert pilot.import_judgments("pilot", file_of("ann")) == Stored(unchanged=48)
    assert (list(pilot.judgments("pilot", current=False)), pilot.status("pilot")) == before


def test_an_export_comes_back_in_and_changes_nothing(pilot: Store) -> None:
    pilot.import_judgments("pilot", file_of("ann", "ben"))
    exported = list(pilot.judgments("pilot"))
    assert "ann" not in {each.annotator for each in exported}
    assert pilot.import_judgments("pilot", exported) == Stored(unchanged=96)


def test_a_web_answer_and_a_file_are_the_same_judgments(pilot: Store) -> None:
    task = rank_tasks(4)[2]
    pilot.answer("pilot", "ann", "t2", answers(RANK, task, (2, 1, 1, 3)), at=AT)
    assert pilot.import_judgments("pilot", file_of("ann")) == Stored(new=36, unchanged=12)


def test_what_differs_is_a_correction(pilot: Store) -> None:
    pilot.import_judgments("pilot", file_of("ann"))
    better = [replace(each, value=4) if each.target == "s3" else each for each in file_of("ann")]
    assert pilot.import_judgments("pilot", better) == Stored(corrected=12, unchanged=36)
    assert {each.value for each in pilot.judgments("pilot") if each.target == "s3"} == {4}


def test_of_a_key_that_comes_twice_the_last_counts(pilot: Store) -> None:
    task = rank_tasks(1)[0]
    twice = judgments("pilot", RANK, task, "ann", (1, 2, 3, 4)) + judgments(
        "pilot", RANK, task, "ann", (4, 3, 2, 1)
    )
    assert pilot.import_judgments("pilot", twice) == Stored(new=12)
    assert [each.value for each in pilot.judgments("pilot")][::3] == [4, 3, 2, 1]


def test_bad_tasks_are_left_out_whole_and_good_ones_kept(pilot: Store) -> None:
    good = file_of("ann")[:12]
    tasks = rank_tasks(4)
    missing = judgments("pilot", RANK, tasks[1], "ann", (1, 2, 3, 4))[:-1]
    seventh = judgments("pilot", RANK, tasks[2], "ann", (7, 2, 3, 4))
    stranger = judgments("pilot", RANK, tasks[0], "cy", (1, 2, 3, 4))
    unknown = [replace(each, task="t9") for each in good]
    elsewhere = [replace(each, campaign="other", annotator="ben") for each in good]
    moved = [
        replace(each, item="item1")
        for each in judgments("pilot", RANK, tasks[3], "ann", (1, 1, 1, 1))
    ]
    done = pilot.import_judgments(
        "pilot", good + missing + seventh + stranger + unknown + elsewhere + moved
    )
    assert (done.new, done.corrected, done.unchanged) == (12, 0, 0)
    assert done.rejected == (
        Rejection("t1", "ann", 11, "task 't1': no answer for s3 (overall)"),
        Rejection(
            "t2", "ann", 12, "task 't2': s0 (coherent): 7 is not a rank from 1 to 4 (and 2 more)"
        ),
        Rejection("t0", "cy", 12, "'cy' is not an annotator of campaign 'pilot'"),
        Rejection("t9", "ann", 12, "campaign 'pilot' has no task 't9'"),
        Rejection("t0", "ben", 12, "a judgment of campaign 'other', not 'pilot'"),
        Rejection("t3", "ann", 12, "task 't3' has item 'item3', not 'item1'"),
    )
    assert pilot.status("pilot").done == 1


def test_tasks_of_others_and_excluded_annotators_are_left_out(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(2), ["ann", "ben"], per_item=1, seed=0)
    owner = {each.task.id: name for name in ("ann", "ben") for each in store.assignments("c", name)}
    swapped = [
        Judgment("c", f"c{n}", "article0", f"c{n}", "grade", 3, owner[f"c{1 - n}"])
        for n in range(2)
    ]
    reasons = [each.reason for each in store.import_judgments("c", swapped).rejected]
    assert reasons == [f"task 'c{n}' is not assigned to {owner[f'c{1 - n}']!r}" for n in range(2)]
    store.exclude("c", owner["c0"], "", at=AT)
    own = Judgment("c", "c0", "article0", "c0", "grade", 3, owner["c0"])
    [left] = store.import_judgments("c", [own]).rejected
    assert left.reason == f"{owner['c0']!r} was excluded from campaign 'c'"


def test_a_no_must_be_in_the_file(store: Store) -> None:
    tasks = vote_tasks(1)
    store.create("votes", VOTE, tasks, ["ann"], per_item=1, seed=0)
    votes = judgments("votes", VOTE, tasks[0], "ann", (True, False, False, True, False))
    ticked = [each for each in votes if each.value]
    [left] = store.import_judgments("votes", ticked).rejected
    assert left.reason == "task 'b0': no answer for b0c1 (constructive) (and 2 more)"
    assert store.import_judgments("votes", votes).new == 5


def test_workers_of_a_file_join_an_open_campaign_and_fill_its_slots(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(3), None, per_item=10, seed=0)
    votes = [
        Judgment("c", f"c{n}", f"article{n // 3}", f"c{n}", "grade", 1 + w % 5, f"worker {w}")
        for n in range(3)
        for w in range(12)
    ]
    done = store.import_judgments("c", votes)
    assert (done.new, len(done.rejected)) == (30, 6)
    assert {each.reason for each in done.rejected} == {
        f"task 'c{n}' has all its annotators, and 'worker {w}' is none of them"
        for n in range(3)
        for w in (10, 11)
    }
    status = store.status("c")
    assert (status.done, status.open, len(status.annotators)) == (30, 0, 10)
    assert store.import_judgments("c", votes[:10]) == Stored(unchanged=10)


def test_identical_outputs_with_unequal_ranks_are_stored_with_a_warning(store: Store) -> None:
    task = Task("t", "i", (Target("x", "same"), Target("y", "same")))
    store.create("twins", RANK, [task], ["ann"], per_item=1, seed=0)
    stored = store.import_judgments("twins", judgments("twins", RANK, task, "ann", (1, 2)))
    assert (stored.new, stored.rejected) == (6, ())
    assert stored.warnings[0] == (
        "task 't' of 'ann': y and x are the same text but have the ranks 2 and 1 (informative)"
    )
    assert len(stored.warnings) == 3


def test_letters_of_the_file_are_kept(pilot: Store) -> None:
    lettered = [replace(each, shown="1st") for each in file_of("ann")]
    pilot.import_judgments("pilot", lettered)
    assert {each.shown for each in pilot.judgments("pilot")} == {"1st"}


def test_an_empty_file_is_nothing(pilot: Store) -> None:
    assert pilot.import_judgments("pilot", []) == Stored()


def test_a_large_import_goes_through_in_parts(store: Store) -> None:
    tasks = grade_tasks(1300)
    store.create("c", GRADE, tasks, ["ann", "ben", "cy"], per_item=2, seed=0)
    batch = [
        Judgment("c", todo.task.id, todo.task.item, todo.task.id, "grade", 4, name)
        for name in ("ann", "ben", "cy")
        for todo in store.assignments("c", name)
    ]
    assert store.import_judgments("c", batch) == Stored(new=2600)
    assert store.import_judgments("c", batch[::-1]) == Stored(unchanged=2600)
    assert store.status("c").done == 2600
