"""Assignment: balanced, blinded, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from newsdesk.campaigns.assign import Slot, another_slot, assign, letter, same_as_shown
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError
from newsdesk.streams import stream
from tests.campaigns.worlds import grade_tasks, rank_tasks

SECRET = "a secret of these tests"


def loads(slots: Sequence[Slot]) -> Counter[str | None]:
    return Counter(slot.annotator for slot in slots)


def meetings(slots: Sequence[Slot], annotators: Sequence[str]) -> Counter[frozenset[str]]:
    counts = Counter({frozenset(pair): 0 for pair in combinations(annotators, 2)})
    of: dict[str, list[str]] = {}
    for slot in slots:
        assert slot.annotator is not None
        of.setdefault(slot.task, []).append(slot.annotator)
    for names in of.values():
        counts.update(frozenset(pair) for pair in combinations(names, 2))
    return counts


def spread(counts: Counter[str | None] | Counter[frozenset[str]]) -> int:
    return max(counts.values()) - min(counts.values())


def names(n: int) -> list[str]:
    return [f"annotator {number}" for number in range(n)]


@given(st.integers(1, 60), st.integers(1, 12), st.data())
@settings(max_examples=60)
def test_every_task_goes_to_k_annotators_and_loads_differ_by_at_most_one(
    count: int, n: int, data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, n))
    seed = data.draw(st.integers(0, 99))
    slots = assign(grade_tasks(count), names(n), k, seed, secret=SECRET)
    assert Counter(slot.task for slot in slots) == {f"c{each}": k for each in range(count)}
    assert len({(slot.task, slot.annotator) for slot in slots}) == count * k
    counts = [loads(slots)[name] for name in names(n)]
    assert max(counts) - min(counts) <= 1


@given(st.integers(1, 120), st.integers(2, 12), st.integers(0, 99))
@settings(max_examples=60)
def test_pairs_of_annotators_meet_equally_often_give_or_take_one(
    count: int, n: int, seed: int
) -> None:
    slots = assign(grade_tasks(count), names(n), 2, seed, secret=SECRET)
    assert spread(meetings(slots, names(n))) <= 1


@pytest.mark.parametrize("count", [1, 7, 10, 25, 33, 200])
def test_two_of_five_gives_all_ten_pairs_within_one(count: int) -> None:
    counts = meetings(assign(grade_tasks(count), names(5), 2, seed=3, secret=SECRET), names(5))
    assert len(counts) == 10
    assert spread(counts) <= 1


@pytest.mark.parametrize(("n", "k"), [(7, 3), (9, 4), (12, 5), (20, 10), (41, 40)])
def test_with_more_per_task_pairs_stay_within_a_few_meetings(n: int, k: int) -> None:
    counts = meetings(assign(grade_tasks(150), names(n), k, seed=0, secret=SECRET), names(n))
    assert spread(counts) <= 4


def test_everybody_gets_as_many_control_questions() -> None:
    plain = grade_tasks(61)
    tasks = [
        replace(task, targets=(replace(task.targets[0], answer=5),)) if n % 5 == 2 else task
        for n, task in enumerate(plain)
    ]
    known = {task.id for task in tasks if task.control}
    for seed in range(5):
        slots = assign(tasks, names(5), 2, seed, secret=SECRET)
        assert spread(loads([slot for slot in slots if slot.task in known])) <= 1
        assert spread(loads(slots)) <= 1


@given(st.integers(0, 2**62))
@settings(max_examples=10)
def test_the_same_seed_gives_the_same_assignment(seed: int) -> None:
    tasks = rank_tasks(12)
    assert assign(tasks, names(4), 2, seed, secret=SECRET) == assign(
        tasks, names(4), 2, seed, secret=SECRET
    )


def test_another_seed_gives_another_assignment() -> None:
    tasks = rank_tasks(12)
    assert assign(tasks, names(4), 2, 0, secret=SECRET) != assign(
        tasks, names(4), 2, 1, secret=SECRET
    )


def test_letters_do_not_tell_systems_apart() -> None:
    slots = assign(rank_tasks(500), names(4), 2, seed=0, secret=SECRET)
    counts = Counter(pair for slot in slots for pair in slot.shown.items())
    assert len(counts) == 16
    # 1,000 slots put each of four systems under each letter 250 times; six standard deviations are 82.
    assert all(abs(count - 250) < 82 for count in counts.values())


def test_two_annotators_see_a_task_in_orders_of_their_own() -> None:
    slots = assign(rank_tasks(100), names(2), 2, seed=0, secret=SECRET)
    orders = {(slot.task, slot.annotator): slot.order for slot in slots}
    same = sum(orders[f"t{n}", names(2)[0]] == orders[f"t{n}", names(2)[1]] for n in range(100))
    assert same < 20  # 1 in 24 by chance


def test_annotators_take_tasks_in_orders_of_their_own() -> None:
    slots = assign(grade_tasks(40), names(2), 2, seed=0, secret=SECRET)
    orders = {}
    for name in names(2):
        turns = {slot.position: slot.task for slot in slots if slot.annotator == name}
        assert sorted(turns) == list(range(1, 41))
        orders[name] = [turns[turn] for turn in sorted(turns)]
    ids = [task.id for task in grade_tasks(40)]
    assert orders[names(2)[0]] != orders[names(2)[1]]
    assert ids not in orders.values()


def test_open_slots_of_all_tasks_come_in_rounds() -> None:
    slots = assign(grade_tasks(20), None, 10, seed=0, secret=SECRET)
    assert {slot.annotator for slot in slots} == {None}
    by_turn = sorted(slots, key=lambda slot: slot.position)
    for start in range(0, 200, 20):
        assert len({slot.task for slot in by_turn[start : start + 20]}) == 20


def test_identical_outputs_are_marked_by_the_letter_shown_first() -> None:
    task = Task("t", "i", (Target("x", "one"), Target("y", "two"), Target("z", "one")))
    assert same_as_shown(task, ("x", "y", "z")) == {"z": "x"}
    assert same_as_shown(task, ("z", "y", "x")) == {"x": "z"}


def test_an_added_slot_has_an_order_of_its_own() -> None:
    [task] = rank_tasks(1, systems=8)
    added = [another_slot(task, number, seed=0, secret=SECRET) for number in range(6)]
    assert len({order for order, _ in added}) == len({position for _, position in added}) == 6
    assert added[3] == another_slot(task, 3, seed=0, secret=SECRET)


def test_letters_go_on_after_z() -> None:
    assert [letter(place) for place in (0, 25, 26, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tasks", "annotators", "per_item", "reason"),
    [
        ([], ["a"], 1, "no tasks"),
        (grade_tasks(2), ["a", "b"], 3, "3 annotators per task, but there are only 2"),
        (grade_tasks(2), [], 1, "there are only 0"),
        (grade_tasks(2), ["a", "b", "a"], 2, "two annotators are called 'a'"),
        (grade_tasks(2), ["a"], 0, "per_item is 0"),
        (grade_tasks(1) * 2, ["a"], 1, "two tasks are called 'c0'"),
        ([Task("t", "i", ())], ["a"], 1, "'t' has nothing to judge"),
        ([Task("t", "i", (Target("x", ""),) * 2)], ["a"], 1, "'t' has two targets 'x'"),
    ],
)
def test_what_cannot_be_assigned_is_refused(
    tasks: list[Task], annotators: list[str], per_item: int, reason: str
) -> None:
    with pytest.raises(ArgumentError, match=reason):
        assign(tasks, annotators, per_item, seed=0, secret=SECRET)


def guessed_by_seed(count: int, systems: int, seed: int) -> list[tuple[str, ...]]:
    """The orders that newsdesk 0.1.0 drew, for whoever knows the seed and the sizes."""
    rng = stream("assign: order of targets", seed)
    return [tuple(f"s{place}" for place in rng.permutation(systems).tolist()) for _ in range(count)]


@pytest.mark.parametrize("attack", ["0.1.0", "another secret", "no secret"])
def test_who_guesses_the_seed_and_the_sizes_learns_no_letters(attack: str) -> None:
    tasks = rank_tasks(70)
    orders = [slot.order for slot in assign(tasks, ["ann"], 1, 7, secret=SECRET)]
    if attack == "0.1.0":
        guesses = guessed_by_seed(70, 4, 7)
    else:
        secret = "" if attack == "no secret" else "a secret of theirs"
        guesses = [slot.order for slot in assign(tasks, ["ann"], 1, 7, secret=secret)]
    right = sum(order == guess for order, guess in zip(orders, guesses, strict=True))
    # Of 70 rankings of four systems chance gets 2.9; 12 or more have a probability of 2e-5.
    assert right < 12


def test_the_order_of_tasks_needs_the_secret_too() -> None:
    one, other = (
        [slot.position for slot in assign(grade_tasks(40), ["ann"], 1, 7, secret=secret)]
        for secret in (SECRET, "another")
    )
    assert one != other
