"""`kill -9` of writers at random moments: what was acknowledged is there, nothing is there in part, the store opens."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path

import pytest

from newsdesk.campaigns.store import Store
from tests.campaigns.workers import MOMENTS, Worker, faults, start_doomed
from tests.campaigns.worlds import LATER, RANK, rank_tasks

AT_ONCE = 4
TASKS = 3000  # more than a writer can answer before it is killed


def kill_writers(url: str, kills: int, rng: random.Random, folder: Path) -> list[tuple[str, str]]:
    """Start writers, kill each at a moment of its own while others go on, and collect what was acknowledged."""
    done: list[tuple[str, str]] = []
    running: list[Worker] = []
    for number in range(kills):
        while len(running) < AT_ONCE:
            name = f"w{number}x{len(running)}"
            running.append(Worker.start(url, "pilot", name, 1, folder))
        doomed = running.pop(0)
        doomed.wait_for_work()
        time.sleep(rng.uniform(0, 0.1))
        assert doomed.end(kill=True) == -9, "the writer ended before it was killed"
        done += doomed.acknowledged()
    for left in running:
        left.end(kill=True)
        done += left.acknowledged()
    return done


def check_after_kills(url: str, done: list[tuple[str, str]]) -> list[str]:
    """What is wrong with the store, if anything."""
    with Store.open(url, create=False) as store:
        problems = faults(store, "pilot", done)
        claimed = store.status("pilot").claimed
        if store.release("pilot", before=LATER) != claimed:
            problems.append("not every claim could be released")
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            problems.append("the file is damaged")
        connection.close()
    return problems


def kill_at_commits(url: str, kills: int, folder: Path) -> list[tuple[str, str]]:
    """Writers that are killed around a commit of theirs, a third each before, during and after it; what was acknowledged."""
    done: list[tuple[str, str]] = []
    for first in range(0, kills, AT_ONCE):
        doomed = [
            start_doomed(url, "pilot", f"k{n}", folder, MOMENTS[n % 3], n)
            for n in range(first, min(first + AT_ONCE, kills))
        ]
        for worker in doomed:
            assert worker.end(kill=False) == -9, "the writer ended before it was killed"
            done += worker.acknowledged()
    return done


@pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
def test_a_kill_around_the_commit_leaves_nothing_lost_and_nothing_partial(
    url: str, tmp_path: Path
) -> None:
    with Store.open(url) as store:
        store.create("pilot", RANK, rank_tasks(100), None, per_item=20, seed=0)
    done = kill_at_commits(url, 10, tmp_path)
    assert len(done) >= 10
    assert check_after_kills(url, done) == []


# Two hundred kills of each sort are in bench/store.py. PostgreSQL's server is not killed: only what is between us and it can be lost.
@pytest.mark.parametrize(("url", "kills"), [("sqlite", 20), ("postgresql", 6)], indirect=["url"])
def test_killed_writers_lose_nothing_that_was_acknowledged(
    url: str, kills: int, tmp_path: Path
) -> None:
    with Store.open(url) as store:
        store.create("pilot", RANK, rank_tasks(TASKS), None, per_item=20, seed=0)
    done = kill_writers(url, kills, random.Random(0), tmp_path)
    assert len(done) >= kills
    assert check_after_kills(url, done) == []
