"""The store: what goes in comes out, whole, once, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.assign import assign
from newsdesk.campaigns.campaign import (
    Stored,
    annotator_id,
    protocol_from_json,
    protocol_to_json,
)
from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.registry import PROTOCOLS
from newsdesk.types import Value
from tests.campaigns.worlds import (
    AT,
    GRADE,
    LATER,
    RANK,
    VOTE,
    answers,
    grade_tasks,
    rank_tasks,
    vote_tasks,
)

NASTY = "=1+1 \t 'x' \"y\" \\ 😂 שלום \u202e abc\r\n--; DROP TABLE tasks;\u0001"


def pilot(store: Store, count: int = 3) -> list[Task]:
    tasks = rank_tasks(count)
    store.create("pilot", RANK, tasks, ["ann", "ben"], per_item=2, seed=7, secret="s3")
    return tasks


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_protocol_comes_back_as_it_was(name: str) -> None:
    form = protocol(name)
    assert protocol_from_json(protocol_to_json(form)) == form


def test_a_campaign_comes_back_as_it_was_made(store: Store) -> None:
    tasks = [
        Task(
            "t 1", "i", (Target("x", NASTY), Target("y", "", 2)), (("label", NASTY), ("url", "u"))
        ),
        Task("t 2", "i", (Target("x", "a" * 100_000), Target("y", NASTY, 1.5))),
    ]
    created = store.create("größe", RANK, tasks, ["ann", "ben"], per_item=1, seed=2**63 - 1)
    assert store.campaigns() == [created]
    assert store.campaign("größe") == created
    assert (created.per_item, created.open, created.protocol) == (1, False, RANK)
    assert list(store.tasks("größe")) == tasks


def test_slots_are_those_that_assign_makes(store: Store) -> None:
    tasks = pilot(store, 9)
    planned = assign(tasks, ["ann", "ben"], 2, seed=7, secret="s3")
    for name in ("ann", "ben"):
        mine = [each.slot for each in store.assignments("pilot", name)]
        assert mine == sorted(
            (slot for slot in planned if slot.annotator == name), key=lambda slot: slot.position
        )


def test_campaigns_of_one_store_do_not_mix(store: Store) -> None:
    for name in ("one", "two"):
        store.create(name, GRADE, grade_tasks(2), ["ann"], per_item=1, seed=0)
    store.answer("one", "ann", "c0", {("c0", "grade"): 4}, at=AT)
    assert [each.name for each in store.campaigns()] == ["one", "two"]
    assert len(list(store.judgments("one"))) == 1
    assert list(store.judgments("two")) == []
    assert store.status("two").done == 0


def test_a_judgment_has_every_column(store: Store) -> None:
    [task] = pilot(store, 1)
    todo = store.claim("pilot", "ann", at=AT)
    assert todo is not None
    ranks = answers(RANK, task, (3, 1, 1, 2.5))
    assert store.answer("pilot", "ann", "t0", ranks, at=LATER, seconds=12.5) == Stored(new=12)
    stored = list(store.judgments("pilot", names=True))
    assert {(each.target, each.question): each.value for each in stored} == ranks
    for each in stored:
        assert each.shown == todo.slot.shown[each.target]
        assert (each.campaign, each.task, each.item) == ("pilot", "t0", "item0")
        assert (each.annotator, each.at, each.seconds) == ("ann", LATER, 12.5)
        assert (each.control, each.via) == (False, "web")


@pytest.mark.parametrize("value", [1, 4, 2.0, 3.5])
def test_a_value_is_kept_as_given(store: Store, value: Value) -> None:
    [task] = pilot(store, 1)
    store.answer("pilot", "ann", "t0", answers(RANK, task, [value] * 4), at=AT)
    [stored] = {each.value for each in store.judgments("pilot")}
    assert (stored, type(stored)) == (value, type(value))


def test_exports_have_keyed_hashes_for_names(store: Store) -> None:
    store.create("a", GRADE, grade_tasks(1), ["ann"], per_item=1, seed=0, secret="s3")
    store.create("b", GRADE, grade_tasks(1), ["ann"], per_item=1, seed=0)
    for name in ("a", "b"):
        store.answer(name, "ann", "c0", {("c0", "grade"): 2}, at=AT)
    [one], [other] = store.judgments("a"), store.judgments("b")
    # echo -n ann | openssl dgst -sha256 -hmac s3
    assert one.annotator == annotator_id("s3", "ann") == "709c8cc9f8a6e516"
    assert other.annotator != one.annotator
    assert {len(one.annotator), len(other.annotator)} == {16}


def test_what_is_not_ticked_is_an_explicit_no(store: Store) -> None:
    store.create("votes", VOTE, vote_tasks(1), ["ann"], per_item=1, seed=0)
    assert store.answer("votes", "ann", "b0", {("b0c3", "constructive"): True}, at=AT).new == 5
    values = {each.target: each.value for each in store.judgments("votes")}
    assert values == {f"b0c{n}": n == 3 for n in range(5)}


def test_the_same_answer_again_changes_nothing(store: Store) -> None:
    [task] = pilot(store, 1)
    ranks = answers(RANK, task, (1, 2, 3, 4))
    store.answer("pilot", "ann", "t0", ranks, at=AT)
    before = list(store.judgments("pilot", current=False))
    assert store.answer("pilot", "ann", "t0", ranks, at=LATER) == Stored(unchanged=12)
    assert list(store.judgments("pilot", current=False)) == before


def test_another_answer_is_a_correction_and_the_first_stays_on_record(store: Store) -> None:
    [task] = pilot(store, 1)
    store.answer("pilot", "ann", "t0", answers(RANK, task, (1, 2, 3, 4)), at=AT)
    again = answers(RANK, task, (1, 2, 4, 3))
    assert store.answer("pilot", "ann", "t0", again, at=LATER) == Stored(corrected=6, unchanged=6)
    now = {(each.target, each.question): each.value for each in store.judgments("pilot")}
    assert now == again
    history = list(store.judgments("pilot", current=False))
    assert [each.at for each in history] == [AT] * 12 + [LATER] * 6
    status = store.status("pilot")
    assert (status.judgments, status.corrections, status.done) == (12, 6, 1)


def test_judgments_come_by_task_target_and_annotator_whoever_was_first(store: Store) -> None:
    tasks = pilot(store, 2)
    for name, number in (("ben", 1), ("ann", 1), ("ben", 0), ("ann", 0)):
        store.answer("pilot", name, f"t{number}", answers(RANK, tasks[number], (1, 1, 2, 2)), at=AT)
    stored = [
        (each.task, each.target, each.annotator) for each in store.judgments("pilot", names=True)
    ]
    assert stored[::3] == [
        (t, f"s{s}", a) for t in ("t0", "t1") for s in range(4) for a in ("ann", "ben")
    ]


def test_judgments_can_be_picked(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(4, controls=1), ["ann", "ben"], per_item=2, seed=0)
    for name in ("ann", "ben"):
        for n in range(4):
            store.answer("c", name, f"c{n}", {(f"c{n}", "grade"): 5}, at=AT)
    assert [each.control for each in store.judgments("c", control=True)] == [True, True]
    assert len(list(store.judgments("c", control=False))) == 6
    mine = list(store.judgments("c", annotator="ann", names=True))
    assert [each.annotator for each in mine] == ["ann"] * 4
    assert len(list(store.judgments("c", annotator=annotator_of(store, "ann")))) == 4


def annotator_of(store: Store, name: str) -> str:
    return next(each.id for each in store.status("c").annotators if each.name == name)


@pytest.mark.parametrize("statement", ["UPDATE judgments SET value = '1'", "DELETE FROM judgments"])
def test_the_database_itself_keeps_judgments_append_only(
    store: Store, url: str, statement: str
) -> None:
    store.create("c", GRADE, grade_tasks(1), ["ann"], per_item=1, seed=0)
    store.answer("c", "ann", "c0", {("c0", "grade"): 5}, at=AT)
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with pytest.raises(sa.exc.DBAPIError, match="append-only"), engine.begin() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()
    assert [each.value for each in store.judgments("c")] == [5]
