"""An answer on the web and the next task in one transaction, on both databases."""

from __future__ import annotations

import pytest

from newsdesk.campaigns import Store, Target, Task, protocol
from newsdesk.errors import ArgumentError, DataError

AT = "2026-01-02T09:00:00Z"
TASKS = [Task(f"c{n}", "a", (Target(f"c{n}", f"Text {n}."),), (), "The article.") for n in range(4)]


def submit(store: Store, number: int, value: object = 4, who: str = "ann") -> int | None:
    opened = store.open_task("g", who, number, article=False)
    assert opened is not None and opened.article == ""
    target = opened.assignment.task.targets[0].id
    return store.submit("g", who, opened, {(target, "grade"): value}, at=AT, seconds=3.0)  # type: ignore[dict-item]


def test_the_next_task_is_the_following_one_and_after_the_last_the_first_that_is_open(
    store: Store,
) -> None:
    store.create("g", protocol("grade"), TASKS, ["ann"], per_item=1, seed=0)
    first, second, third, fourth = (place.number for place in store.places("g", "ann"))
    assert submit(store, second) == third
    assert submit(store, third) == fourth
    assert submit(store, fourth) == first
    assert submit(store, second, 5) == first  # a correction
    assert submit(store, first) is None
    rows = list(store.judgments("g", current=False))
    assert sorted(each.value for each in rows) == [4, 4, 4, 4, 5]
    assert {(each.via, each.seconds) for each in rows} == {("web", 3.0)}
    assert all(place.state == "done" for place in store.places("g", "ann"))


def test_in_an_open_campaign_the_next_task_is_claimed_and_nobody_gets_one_twice(
    store: Store,
) -> None:
    store.create("g", protocol("grade"), TASKS, None, per_item=1, seed=0)
    for who in ("ann", "ben"):
        store.join("g", who)
        store.claim("g", who, at=AT)
    following = {
        who: submit(store, store.places("g", who)[0].number, who=who) for who in ("ann", "ben")
    }
    assert None not in following.values() and following["ann"] != following["ben"]
    assert store.status("g").claimed == 2
    for who, number in following.items():
        assert number is not None and submit(store, number, who=who) is None


def test_a_refused_answer_stores_nothing_and_claims_nothing(store: Store) -> None:
    store.create("g", protocol("grade"), TASKS, None, per_item=1, seed=0)
    store.join("g", "ann")
    store.claim("g", "ann", at=AT)
    number = store.places("g", "ann")[0].number
    with pytest.raises(DataError):
        submit(store, number, 9)
    assert [place.state for place in store.places("g", "ann")] == ["claimed"]
    opened = store.open_task("g", "ann", number)
    store.exclude("g", "ann", "gone", at=AT)
    assert opened is not None
    with pytest.raises(ArgumentError, match="excluded"):
        store.submit("g", "ann", opened, {("c0", "grade"): 4}, at=AT)
    assert list(store.judgments("g", include_excluded=True)) == []
