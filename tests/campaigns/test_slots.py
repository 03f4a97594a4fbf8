"""Slots: claimed one at a time, never more than k per task, given back, voided and opened again."""

from __future__ import annotations

from collections import Counter

import pytest

from newsdesk.campaigns.campaign import Assignment
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError
from newsdesk.types import Value
from tests.campaigns.worlds import AT, GRADE, LATER, RANK, answers, grade_tasks, rank_tasks


def grade(store: Store, name: str, todo: Assignment, value: int = 3) -> None:
    store.answer("c", name, todo.task.id, {(todo.task.id, "grade"): value}, at=AT, seconds=5)


def work(store: Store, name: str, limit: int = 999) -> list[str]:
    """Claim and answer until nothing is left; the tasks in their order."""
    done: list[str] = []
    while len(done) < limit and (todo := store.claim("c", name, at=AT)) is not None:
        grade(store, name, todo)
        done.append(todo.task.id)
    return done


def holders(store: Store) -> Counter[str]:
    """How many annotators have each task, void slots left out."""
    return Counter(
        each.task.id
        for person in store.status("c").annotators
        for each in store.assignments("c", person.name)
    )


def test_an_annotator_gets_their_own_tasks_in_their_order(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(10), ["ann", "ben", "cy"], per_item=2, seed=5)
    planned = [each.task.id for each in store.assignments("c", "ann")]
    assert work(store, "ann") == planned
    assert store.claim("c", "ann", at=AT) is None
    assert {each.state for each in store.assignments("c", "ann")} == {"done"}


def test_a_claim_shows_the_task_blinded(store: Store) -> None:
    task = Task(
        "t", "i", tuple(Target(f"system {n}", f"text {n % 2}") for n in range(3)), (("url", "u"),)
    )
    store.create("c", RANK, [task], ["ann"], per_item=1, seed=1)
    todo = store.claim("c", "ann", at=AT)
    assert todo is not None
    assert todo.task == task
    assert list(todo.texts) == ["A", "B", "C"]
    assert [todo.texts[each] for each in "ABC"] == [
        target.text for name in todo.slot.order for target in task.targets if target.id == name
    ]
    [(later, first)] = todo.same_as.items()
    assert todo.texts[later] == todo.texts[first]
    assert first < later


def test_answers_by_letter_become_answers_by_target(store: Store) -> None:
    task = Task("t", "i", tuple(Target(f"system {n}", f"text {n % 2}") for n in range(3)))
    store.create("c", RANK, [task], ["ann"], per_item=1, seed=1)
    todo = store.claim("c", "ann", at=AT)
    assert todo is not None
    once = [each for each in todo.texts if each not in todo.same_as]
    by_letter: dict[tuple[str, str], Value] = {
        (each, question.name): rank
        for rank, each in enumerate(once, 1)
        for question in RANK.questions
    }
    by_target = todo.unsealed(by_letter)
    assert by_target["system 0", "overall"] == by_target["system 2", "overall"]
    assert store.answer("c", "ann", "t", by_target, at=AT).new == 9
    assert ("Z", "overall") in todo.unsealed({("Z", "overall"): 1})


def test_an_unanswered_claim_comes_first(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(5), None, per_item=2, seed=0)
    store.join("c", "w")
    first = store.claim("c", "w", at=AT)
    again = store.claim("c", "w", at=LATER)
    assert first is not None
    assert first == again
    assert store.status("c").claimed == 1


def test_an_open_campaign_gives_every_task_to_k_workers(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(4), None, per_item=3, seed=0)
    for n in range(5):
        store.join("c", f"w{n}")
    shares = [work(store, f"w{n}", 3) for n in range(5)]
    assert all(len(set(share)) == len(share) for share in shares)
    assert holders(store) == {f"c{n}": 3 for n in range(4)}
    assert [store.claim("c", f"w{n}", at=AT) for n in range(5)] == [None] * 5
    status = store.status("c")
    assert (status.slots, status.done, status.open, status.judgments) == (12, 12, 0, 12)


def test_an_open_campaign_fills_tasks_evenly(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(6), None, per_item=10, seed=0)
    for n in range(4):
        store.join("c", f"w{n}")
        work(store, f"w{n}", 3)
    assert holders(store) == {f"c{n}": 2 for n in range(6)}


def test_who_has_not_joined_gets_nothing(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(2), None, per_item=1, seed=0)
    with pytest.raises(ArgumentError, match="'w' is not an annotator of campaign 'c'"):
        store.claim("c", "w", at=AT)


def test_a_stale_claim_goes_to_somebody_else(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(1), None, per_item=1, seed=0)
    store.join("c", "slow")
    store.join("c", "quick")
    todo = store.claim("c", "slow", at=AT)
    assert todo is not None
    assert store.claim("c", "quick", at=AT) is None
    assert store.release("c", before=AT) == 0
    assert store.release("c", before=LATER) == 1
    taken = store.claim("c", "quick", at=LATER)
    assert taken is not None
    with pytest.raises(ArgumentError, match="has all its annotators, and 'slow' is none of them"):
        grade(store, "slow", todo)
    grade(store, "quick", taken)
    assert holders(store) == {"c0": 1}


def test_work_on_a_released_claim_is_kept_while_there_is_room(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(1), None, per_item=1, seed=0)
    store.join("c", "slow")
    todo = store.claim("c", "slow", at=AT)
    assert todo is not None
    store.release("c", before=LATER)
    grade(store, "slow", todo)
    assert store.status("c").done == 1


def test_a_slot_that_was_assigned_by_name_stays_theirs_when_released(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(1), ["ann"], per_item=1, seed=0)
    store.join("c", "ben", invited=True)
    store.claim("c", "ann", at=AT)
    assert store.release("c", before=LATER) == 1
    assert store.claim("c", "ben", at=LATER) is None
    assert work(store, "ann") == ["c0"]


def test_exclusion_opens_as_many_slots_for_others(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(9), ["ann", "ben", "cy"], per_item=2, seed=0)
    for name in ("ann", "ben"):
        work(store, name)
    assert store.exclude("c", "ann", "did not read", at=LATER) == 6
    status = store.status("c")
    assert (status.slots, status.done, status.judgments) == (18, 6, 6)
    [ann] = [each for each in status.annotators if each.name == "ann"]
    assert (ann.slots, ann.excluded_at, ann.reason) == (0, LATER, "did not read")
    assert {each.annotator for each in store.judgments("c", names=True)} == {"ben"}
    assert len(list(store.judgments("c", include_excluded=True))) == 12
    for name in ("ben", "cy"):
        work(store, name)
    assert holders(store) == {f"c{n}": 2 for n in range(9)}
    assert store.status("c").done == 18


def test_nobody_gets_a_task_twice_even_if_slots_are_left_over(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(4), ["ann", "ben"], per_item=2, seed=0)
    store.exclude("c", "ann", "", at=AT)
    assert len(work(store, "ben")) == 4
    assert store.claim("c", "ben", at=AT) is None
    assert store.status("c").open == 4
    store.join("c", "dee", invited=True)
    assert len(work(store, "dee")) == 4


def test_an_excluded_annotator_can_neither_claim_nor_answer(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(1), ["ann"], per_item=1, seed=0)
    todo = store.claim("c", "ann", at=AT)
    assert todo is not None
    store.exclude("c", "ann", "", at=AT)
    with pytest.raises(ArgumentError, match="'ann' was excluded from campaign 'c'"):
        store.claim("c", "ann", at=AT)
    with pytest.raises(ArgumentError, match="'ann' was excluded"):
        grade(store, "ann", todo)
    with pytest.raises(ArgumentError, match="'ann' was excluded"):
        store.exclude("c", "ann", "", at=AT)


def test_inclusion_undoes_exclusion(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(6), ["ann", "ben"], per_item=1, seed=0)
    work(store, "ann", 2)
    before, todo = store.status("c"), list(store.assignments("c", "ann"))
    store.exclude("c", "ann", "too fast", at=AT)
    assert store.include("c", "ann") == 3
    assert store.status("c") == before
    assert list(store.assignments("c", "ann")) == todo
    assert len(work(store, "ann")) == 1
    with pytest.raises(ArgumentError, match="'ann' is not excluded"):
        store.include("c", "ann")


def test_inclusion_leaves_others_what_they_took(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(4), ["ann", "ben"], per_item=1, seed=0)
    work(store, "ann")
    store.exclude("c", "ann", "", at=AT)
    assert len(work(store, "ben", 3)) == 3  # two of their own and one of ann's
    assert store.include("c", "ann") == 1
    assert holders(store) == {f"c{n}": 1 for n in range(4)}
    assert store.status("c").done == 4
    # All that ann ever judged counts again, also where ben has judged the same since.
    assert len(list(store.judgments("c"))) == 5
    [taken] = {each.task for each in store.judgments("c", annotator="ann")} - {
        each.task.id for each in store.assignments("c", "ann")
    }
    with pytest.raises(ArgumentError, match=f"'{taken}' is not assigned to 'ann'"):
        store.answer("c", "ann", taken, {(taken, "grade"): 5}, at=LATER)


def test_open_slots_are_handed_out_for_sheets(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(12), ["ann", "ben", "cy", "dee"], per_item=2, seed=0)
    store.exclude("c", "ann", "", at=AT)
    assert store.hand_out("c") == 6
    counts = {name: len(list(store.assignments("c", name))) for name in ("ben", "cy", "dee")}
    assert sum(counts.values()) == 24
    assert max(counts.values()) - min(counts.values()) <= 2
    assert holders(store) == {f"c{n}": 2 for n in range(12)}
    assert store.hand_out("c") == 0


def test_a_replacement_sees_the_task_in_an_order_of_their_own(store: Store) -> None:
    store.create("c", RANK, rank_tasks(6, systems=8), ["ann"], per_item=1, seed=0)
    before = {each.task.id: each.slot.order for each in store.assignments("c", "ann")}
    store.exclude("c", "ann", "", at=AT)
    store.join("c", "ben", invited=True)
    todo = store.claim("c", "ben", at=AT)
    assert todo is not None
    assert todo.slot.order != before[todo.task.id]
    assert sorted(todo.slot.order) == sorted(before[todo.task.id])
    store.answer("c", "ben", todo.task.id, answers(RANK, todo.task, range(1, 9)), at=AT)
