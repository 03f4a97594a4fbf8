"""Many annotators at once, in several processes of several threads: no task too often, no answer lost, nothing double."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from newsdesk.campaigns.store import Store
from newsdesk.campaigns.store.database import queued
from newsdesk.errors import NewsdeskError
from newsdesk.types import Judgment
from tests.campaigns.workers import faults, start_crowd
from tests.campaigns.worlds import AT, GRADE, RANK, answers, grade_tasks, rank_tasks

# The full size, 8 × 25, is in bench/store.py.
PROCESSES = 4
THREADS = 10


def test_a_crowd_fills_every_slot_once(url: str, tmp_path: Path) -> None:
    with Store.open(url) as store:
        store.create("pilot", RANK, rank_tasks(40, systems=2), None, per_item=10, seed=0)
    workers = start_crowd(url, "pilot", PROCESSES, THREADS, tmp_path)
    assert [worker.end(kill=False) for worker in workers] == [0] * PROCESSES
    done = [pair for worker in workers for pair in worker.acknowledged()]
    with Store.open(url, create=False) as store:
        assert faults(store, "pilot", done) == []
        status = store.status("pilot")
        assert (status.done, status.open, status.corrections) == (400, 0, 0)
        assert (len(done), len(set(done))) == (400, 400)
        assert len(status.annotators) == PROCESSES * THREADS


def together(count: int, act: object) -> list[BaseException]:
    """Call `act(n)` in so many threads at once; what they raised."""
    raised: list[BaseException] = []
    gate = threading.Barrier(count)

    def run(n: int) -> None:
        gate.wait()
        try:
            act(n)  # type: ignore[operator]
        except NewsdeskError as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return raised


def test_the_same_answer_sent_many_times_at_once_is_stored_once(store: Store) -> None:
    [task] = rank_tasks(1)
    store.create("pilot", RANK, [task], ["ann"], per_item=1, seed=0)
    ranks = answers(RANK, task, (1, 2, 3, 4))
    assert together(12, lambda _: store.answer("pilot", "ann", "t0", ranks, at=AT)) == []
    assert len(list(store.judgments("pilot", current=False))) == 12


def test_one_annotator_in_many_windows_holds_one_claim(store: Store) -> None:
    store.create("pilot", GRADE, grade_tasks(20), None, per_item=2, seed=0)
    store.join("pilot", "ann")
    assert together(12, lambda _: store.claim("pilot", "ann", at=AT)) == []
    assert store.status("pilot").claimed == 1


def test_of_many_who_join_under_one_name_one_succeeds(store: Store) -> None:
    store.create("pilot", GRADE, grade_tasks(2), None, per_item=1, seed=0)
    assert len(together(8, lambda _: store.join("pilot", "ann"))) == 7
    assert len(store.status("pilot").annotators) == 1


def test_of_many_campaigns_of_one_name_one_is_made(url: str, store: Store) -> None:
    def make(_: int) -> None:
        with Store.open(url) as other:
            other.create("pilot", GRADE, grade_tasks(30), ["ann"], per_item=1, seed=0)

    raised = together(6, make)
    assert len(raised) == 5
    assert all("pilot" in str(error) for error in raised)
    assert store.status("pilot").tasks == 30


def test_many_may_open_a_new_store_at_once(url: str) -> None:
    assert together(8, lambda _: Store.open(url).close()) == []


@pytest.mark.parametrize("turns", [12])
def test_imports_exclusions_and_answers_do_not_get_in_each_others_way(
    store: Store, turns: int
) -> None:
    tasks = grade_tasks(60)
    store.create("pilot", GRADE, tasks, None, per_item=4, seed=0)
    for n in range(turns):
        store.join("pilot", f"w{n}")

    def act(n: int) -> None:
        name = f"w{n}"
        if n % 4 == 0:
            rows = (Judgment("pilot", t.id, t.item, t.id, "grade", 3, f"import {n}") for t in tasks)
            store.import_judgments("pilot", rows)
            return
        for _ in range(6):
            if (todo := store.claim("pilot", name, at=AT)) is None:
                break
            store.answer("pilot", name, todo.task.id, {(todo.task.id, "grade"): 4}, at=AT)
        if n % 4 == 1:
            store.exclude("pilot", name, "", at=AT)
            store.include("pilot", name)

    assert together(turns, act) == []
    done = [(each.annotator, each.task) for each in store.judgments("pilot", names=True)]
    problems = faults(store, "pilot", done)
    # Who was excluded and came back may find some of their tasks taken: these judgments count, without a slot.
    assert [each for each in problems if not each.startswith("slot and judgments differ")] == []


def test_a_reader_sees_one_state_while_others_write(store: Store) -> None:
    tasks = rank_tasks(30)
    store.create("pilot", RANK, tasks, ["ann"], per_item=1, seed=0)
    for task in tasks[:10]:
        store.answer("pilot", "ann", task.id, answers(RANK, task, (1, 2, 3, 4)), at=AT)
    reading = store.judgments("pilot")
    first = next(reading)
    for task in tasks[10:]:
        store.answer("pilot", "ann", task.id, answers(RANK, task, (1, 2, 3, 4)), at=AT)
    assert len([first, *reading]) == 120
    assert len(list(store.judgments("pilot"))) == 360


def test_writers_of_one_folder_queue_and_a_folder_without_locks_stops_nobody(
    tmp_path: Path,
) -> None:
    entered = threading.Event()

    def enter() -> None:
        with queued(tmp_path):
            entered.set()

    waiting = threading.Thread(target=enter)
    with queued(tmp_path):
        waiting.start()
        assert not entered.wait(0.2)
    assert entered.wait(30)
    waiting.join()
    with queued(tmp_path / "missing"):
        pass
    assert list(tmp_path.iterdir()) == []
