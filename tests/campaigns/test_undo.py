"""Undo takes back one submission, whatever the clocks say, on both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from newsdesk.campaigns import Store, Target, Task, protocol
from newsdesk.types import Judgment, Value

RANK = protocol("rank")
TASK = Task("e", "e", tuple(Target(f"s{n}", f"Text {n}.") for n in range(3)))
NOW = "2026-01-02T09:00:00Z"


def ranked(*ranks: int) -> dict[tuple[str, str], Value]:
    return {
        (target.id, question.name): rank
        for target, rank in zip(TASK.targets, ranks, strict=True)
        for question in RANK.questions
    }


def overall(store: Store) -> list[object]:
    return [each.value for each in store.judgments("r") if each.question == "overall"]


def number(store: Store) -> int:
    """The number under which ann is shown the task."""
    return store.places("r", "ann")[0].number


def create(store: Store) -> None:
    store.create("r", RANK, [TASK], ["ann"], per_item=1, seed=0)


@pytest.mark.parametrize(
    "clocks",
    [
        pytest.param((NOW, NOW, NOW), id="equal"),
        pytest.param((NOW, "2026-01-02T08:59:00Z", "2026-01-02T08:58:00Z"), id="decreasing"),
        pytest.param(("2026-01-02T08:58:00Z", NOW, "2026-01-02T08:58:00Z"), id="back to the first"),
    ],
)
def test_undo_takes_back_one_submission_whatever_the_clocks_say(
    store: Store, clocks: tuple[str, str, str]
) -> None:
    create(store)
    for at, ranks in zip(clocks, ((1, 2, 3), (1, 3, 2), (2, 3, 1)), strict=True):
        store.answer("r", "ann", "e", ranked(*ranks), at=at)
    store.undo("r", "ann", number(store), at=clocks[-1])
    assert overall(store) == [1, 3, 2]
    assert store.places("r", "ann")[0].state == "done"
    # An undo is a submission of its own: undoing it restores what it took back.
    store.undo("r", "ann", number(store), at=clocks[-1])
    assert overall(store) == [2, 3, 1]


def test_undo_takes_back_one_submission_where_there_are_no_clocks(store: Store) -> None:
    create(store)
    for ranks in ((1, 2, 3), (1, 3, 2)):
        answers = [
            Judgment("r", "e", "e", *key, value, "ann") for key, value in ranked(*ranks).items()
        ]
        assert store.import_judgments("r", answers).rejected == ()
    store.undo("r", "ann", number(store), at=NOW)
    assert overall(store) == [1, 2, 3]
    store.undo("r", "ann", number(store), at=NOW)
    assert overall(store) == [1, 3, 2]


def test_undo_of_the_only_submission_opens_the_task_again_at_the_same_second(store: Store) -> None:
    create(store)
    store.answer("r", "ann", "e", ranked(1, 2, 3), at=NOW)
    store.undo("r", "ann", number(store), at=NOW)
    assert overall(store) == ["cannot-judge"] * 3
    assert store.places("r", "ann")[0].state == "claimed"


def test_a_store_without_submissions_is_migrated_and_the_order_of_cells_ends_the_last_one(
    url: str,
) -> None:
    """Version 2 did not record submissions: one stores its cells in order, so two in one second are still two."""
    with Store.open(url) as store:
        create(store)
        store.answer("r", "ann", "e", ranked(2, 1, 2), at=NOW)
        store.answer("r", "ann", "e", ranked(1, 1, 2), at=NOW)  # corrects the first text alone
    _as_version_2(url)
    with Store.open(url) as store:
        store.undo("r", "ann", number(store), at=NOW)
        assert overall(store) == [2, 1, 2]
        store.answer("r", "ann", "e", ranked(3, 2, 1), at=NOW)
        store.answer("r", "ann", "e", ranked(3, 1, 2), at=NOW)
        store.undo("r", "ann", number(store), at=NOW)
        assert overall(store) == [3, 2, 1]


def as_version_3(connection: sa.Connection) -> None:
    """Version 3 did not record imports, gold answers, notes, nor what models answered."""
    for added in ("gold", "notes", "model_answers"):
        connection.exec_driver_sql(f"DROP TABLE {added}")
    connection.exec_driver_sql("DROP INDEX judgments_of_import")
    connection.exec_driver_sql("DROP TABLE imports")
    for table in ("judgments", "conflicts"):
        connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN import_id")
    connection.exec_driver_sql("UPDATE campaigns SET format = 1")
    connection.exec_driver_sql("UPDATE newsdesk_schema SET version = 3")


def _as_version_2(url: str) -> None:
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        columns = {each["name"] for each in sa.inspect(connection).get_columns("judgments")}
        if "submission" in columns:
            connection.exec_driver_sql("ALTER TABLE judgments DROP COLUMN submission")
            as_version_3(connection)
        connection.exec_driver_sql("UPDATE newsdesk_schema SET version = 2")
    engine.dispose()
