"""Names that nobody sees, that look like others', or that no file takes: refused, and of no effect on anybody else."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.exchange import import_files, write_sheets
from newsdesk.campaigns.store import Store, schema
from newsdesk.errors import ArgumentError
from tests.campaigns.worlds import AT, GRADE, grade_tasks
from tests.service.office import HTML, Office


@pytest.mark.parametrize(
    "name",
    ["two\nlines", "bell\x07", "\u202enna", "a\u200bnn", "soft\u00adhyphen", "ann\ufe0f", "\u3164", "a\u2028b", "\u2066ann\u2069", "x" * 101, ""],
)  # fmt: skip
def test_a_name_that_nobody_can_read_on_one_line_is_refused(store: Store, name: str) -> None:
    store.create("c", GRADE, grade_tasks(2), None, per_item=1, seed=0)
    with pytest.raises(ArgumentError):
        store.join("c", name)
    with pytest.raises(ArgumentError):
        store.create("d", GRADE, grade_tasks(2), [name, "ben"], per_item=1, seed=0)
    if len(name) < 100:
        with pytest.raises(ArgumentError):
            store.create(name, GRADE, grade_tasks(2), None, per_item=1, seed=0)


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("Ann", "ann"), ("Ann", "\uff21nn"), ("Straße", "STRASSE"), ("ann", "\u0430nn"), ("Paul", "\u0420aul"),
        ("Paul", "PauI"), ("w1", "wl"), ("B0b", "BOb"), ("Zoe", "Zo\u0435"), ("\u0391nna", "Anna"), ("ﬁn", "fin"),
        ("jose\u0301", "jos\u00e9"), ("Anna \u0391", "Anna A"),
    ],
)  # fmt: skip
def test_a_name_that_looks_like_another_is_refused(store: Store, name: str, alike: str) -> None:
    store.create("c", GRADE, grade_tasks(2), None, per_item=1, seed=0)
    store.join("c", name)
    with pytest.raises(ArgumentError, match=r"looks like|already"):
        store.join("c", alike)
    store.create("d", GRADE, grade_tasks(2), None, per_item=1, seed=0)
    store.join("d", alike)  # in another campaign it is nobody's


def test_names_of_people_who_are_not_alike_are_accepted(store: Store) -> None:
    names = ["Zoe", "Zoë", "Ian", "Lan", "Anna", "Hanna", "李娜", "李那", "Άννα", "Анна", "w1", "w2", "w10", "O'Neil"]  # fmt: skip
    store.create("c", GRADE, grade_tasks(2), names, per_item=1, seed=0)
    assert {who.name for who in store.status("c").annotators} == set(names)


def test_no_name_blocks_the_sheets_of_others(store: Store, tmp_path: Path) -> None:
    """Names that fill a file name, are devices, or that earlier versions took."""
    long = "長" * 100
    names = ["ben", long, f"{'長' * 99}短", "CON", "nul.", "a/../b"]
    store.create("c", GRADE, grade_tasks(4), ["ann", *names], per_item=7, seed=0)
    odd = {"ann": "ann\n\u202e", "ben": "BEN"}
    with store.database.write() as connection:
        for name, other in odd.items():
            table = schema.annotators
            query = table.update().where(table.c.name == name)
            connection.execute(query.values(name=sa.literal(other)))
    written = write_sheets(store, "c", tmp_path / "sheets")
    assert len({each.path for each in written}) == 7
    assert all(each.path.parent == tmp_path / "sheets" and each.path.is_file() for each in written)
    assert all(len(each.path.name.encode()) <= 255 for each in written)
    results = import_files(store, "c", [each.path for each in written], at=AT)
    assert [each.seal for each in results] == ["sealed"] * 7


def test_one_browser_does_not_join_without_end(office: Office) -> None:
    office.campaign("crowd", "grade", None, per_item=1)
    token = office.desk.access.invite("crowd", None).token
    browser = office.stranger()
    for name in ("ann", "ben", "cy"):  # signed in, it is the same person
        assert browser.post(f"/join/{token}", data={"name": name}).status_code == 303
    assert [who.name for who in office.desk.store.status("crowd").annotators] == ["ann"]
    for name in ("dan", "eve", "fay", "gus"):
        browser.cookies.delete("newsdesk_session")
        browser.post(f"/join/{token}", data={"name": name}, headers=HTML)
    assert [who.name for who in office.desk.store.status("crowd").annotators] == ["ann", "dan", "eve"]  # fmt: skip


def test_one_address_does_not_join_without_end(office: Office) -> None:
    office.campaign("crowd", "grade", None, per_item=1)
    token = office.desk.access.invite("crowd", None).token
    answers = [
        office.stranger().post(f"/join/{token}", data={"name": f"w{number}"}, headers=HTML)
        for number in range(office.desk.settings.sign_ins_per_minute + 2)
    ]
    assert answers[0].status_code == 303 and answers[-1].status_code == 429


def test_a_campaign_takes_no_more_annotators_than_it_needs(store: Store) -> None:
    store.create("c", GRADE, grade_tasks(2), None, per_item=1, seed=0)
    for number in range(102):
        store.join("c", f"w{number}")
    with pytest.raises(ArgumentError, match="102 annotators have joined"):
        store.join("c", "one more")
    assert store.join("c", "one more", invited=True)
