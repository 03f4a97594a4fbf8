"""Power cuts at every sync and every acknowledgment: what was acknowledged is there, nothing is there in part."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from newsdesk.campaigns.store import Store
from tests.attacks.power import Disk, has_strace, record

pytestmark = pytest.mark.skipif(
    not has_strace(), reason="NO POWER CUTS ARE TESTED: strace cannot record a process here"
)

# What is left of the names in the folder (all, or those of the last sync) and of unsynced sectors.
CUTS = ((False, 0.0), (True, 0.0), (True, 0.5), (True, 1.0))

ANSWERS = """
import sys
from newsdesk.campaigns.store import Store, database
from tests.campaigns.worlds import AT, GRADE, answers, grade_tasks
{sabotage}
with Store.open("sqlite:///store.db") as store:
    store.create("pilot", GRADE, grade_tasks(7), ["ann"], per_item=1, seed=0)
    print("created", flush=True)
    while (todo := store.claim("pilot", "ann", at=AT)) is not None:
        store.answer("pilot", "ann", todo.task.id, answers(GRADE, todo.task, [3]), at=AT)
        print(todo.task.id, flush=True)
"""
FILES = """
import os, sys
from newsdesk import files
{sabotage}
for number in range(6):
    files.write_text("result.txt", f"version {{number}} " * 500)
    print(f"version-{{number}}", flush=True)
"""


def cuts(code: str, folder: Path, check: Callable[[Path, list[str]], str]) -> list[str]:
    """What is wrong after cuts at each acknowledgment, sync, rename and some writes of a process."""
    work = folder / "work"
    work.mkdir()
    calls = record(code, work, folder / "calls")
    rng = random.Random(0)
    disk, problems = Disk(work), []
    for number, verb in enumerate(disk.replay(calls)):
        if verb == "pwrite64" and rng.random() > 0.1:
            continue
        for names, kept in CUTS:
            left = folder / "left"
            left.mkdir()
            disk.cut(left, names=names, kept=kept, rng=rng)
            if wrong := check(left, disk.acknowledged):
                problems.append(f"call {number} ({verb}), names {names}, kept {kept}: {wrong}")
            shutil.rmtree(left)
    assert len(disk.acknowledged) > 5, "nothing was recorded"
    return problems


def wrong_with_store(left: Path, acknowledged: list[str]) -> str:
    if not acknowledged:
        return ""
    try:
        with Store.open(f"sqlite:///{left / 'store.db'}", create=False) as store:
            stored = {judgment.task for judgment in store.judgments("pilot")}
            partial = store.status("pilot").done != len(stored)
    except Exception as error:  # noqa: BLE001, whatever it is, the store is lost
        return repr(error)
    connection = sqlite3.connect(left / "store.db")
    sound = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    lost = set(acknowledged) - {"created"} - stored
    return f"lost {sorted(lost)}" if lost else "partial" if partial else "" if sound else "damaged"


def wrong_with_file(left: Path, acknowledged: list[str]) -> str:
    path = left / "result.txt"
    text = path.read_text("utf-8") if path.exists() else ""
    versions = [f"version {number} " * 500 for number in range(6)]
    if text and text not in versions:
        return f"a file of {len(text)} characters that nobody wrote"
    number = versions.index(text) if text else -1
    return "an acknowledged version is lost" if number + 1 < len(acknowledged) else ""


def test_no_acknowledged_answer_is_lost_by_a_power_cut(tmp_path: Path) -> None:
    assert cuts(ANSWERS.format(sabotage=""), tmp_path, wrong_with_store) == []


def test_a_store_that_does_not_wait_for_the_disk_is_found_out(tmp_path: Path) -> None:
    sabotage = """
set_up = database._set_up_sqlite
def careless(connection, record):
    set_up(connection, record)
    connection.execute("PRAGMA synchronous = NORMAL")
database._set_up_sqlite = careless
"""
    assert cuts(ANSWERS.format(sabotage=sabotage), tmp_path, wrong_with_store) != []


def test_an_atomic_file_is_the_old_or_the_new_one_after_a_power_cut(tmp_path: Path) -> None:
    assert cuts(FILES.format(sabotage=""), tmp_path, wrong_with_file) == []


@pytest.mark.parametrize("careless", ["os.fsync", "files._sync_folder"])
def test_a_writer_that_leaves_out_a_sync_is_found_out(careless: str, tmp_path: Path) -> None:
    code = FILES.format(sabotage=f"{careless} = lambda *_: None")
    assert cuts(code, tmp_path, wrong_with_file) != []
