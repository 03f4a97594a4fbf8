"""Files of the data folder, and long work on them: kept whole, listed once, started once, started again after a kill."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from newsdesk.campaigns import Store
from newsdesk.errors import ArgumentError, DataError, NewsdeskError
from newsdesk.service.database import create_tables
from newsdesk.service.errors import Problem
from newsdesk.service.jobs import DeskJob, Jobs, job_of
from newsdesk.service.library import Library, kind_of
from newsdesk.service.settings import DataFolder
from newsdesk.service.workers import Workers
from newsdesk.work.progress import OnProgress, Progress

_COMMENTS = b"article,text\na1,First of all the budget does not add up.\na1,No.\n"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    folder = DataFolder.open(tmp_path / "data")
    store = Store.open(folder.store_url)
    with store.database.write() as connection:
        create_tables(connection)
    return Library(folder, store.database, lambda: datetime(2026, 5, 1, tzinfo=UTC))


def test_a_brought_file_is_kept_as_it_came_and_listed(library: Library) -> None:
    file = library.add(io.BytesIO(_COMMENTS), "../My comments.CSV", "comments", "ann")
    assert file.path.read_bytes() == _COMMENTS
    assert file.path.name == "source.csv"
    assert [(listed.id, listed.added_by) for listed in library.all("comments")] == [
        (file.id, "ann")
    ]
    assert library.all("events") == []


def test_records_of_the_newsroom_are_listed_by_what_is_in_them(
    library: Library, tmp_path: Path
) -> None:
    newsroom = tmp_path / "data" / "newsroom"
    newsroom.mkdir()
    (newsroom / "e.jsonl").write_text(
        '{"id": "e1", "date": "2019-05-01", "summary": "It rained."}\n'
    )
    (newsroom / "broken.jsonl").write_text("no JSON\n")
    [file] = library.all()
    assert (file.name, file.kind, file.is_brought) == ("e.jsonl", "events", False)
    with pytest.raises(ArgumentError, match="belongs to the newsroom"):
        library.delete(file)


def test_other_columns_find_an_empty_folder_and_the_old_one_is_removed(library: Library) -> None:
    file = library.add(io.BytesIO(_COMMENTS), "c.csv", "comments", "ann")
    before = file.work("ranked")
    before.mkdir()
    changed = library.read_as(file, "comments", {"text": "article"})
    assert changed.work("ranked") != before
    assert not before.exists()


def test_a_deleted_file_is_gone_with_what_was_computed_from_it(library: Library) -> None:
    file = library.add(io.BytesIO(_COMMENTS), "c.csv", "comments", "ann")
    file.work("ranked").mkdir()
    library.delete(file)
    assert library.all() == []
    assert not file.folder.exists()
    with pytest.raises(Problem, match="no such file"):
        library.file(file.id)


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "a\u202eb", "x" * 201])
def test_a_name_that_cannot_be_shown_is_refused(library: Library, name: str) -> None:
    file = library.add(io.BytesIO(_COMMENTS), "c.csv", "comments", "ann")
    with pytest.raises(ArgumentError, match="printable characters"):
        library.rename(file, name)


@pytest.mark.parametrize("file_id", ["", "..", "0" * 16, "newsroom-0000", "../../etc"])
def test_an_unknown_id_is_not_found(library: Library, file_id: str) -> None:
    with pytest.raises(Problem, match="no such file"):
        library.file(file_id)


def test_a_table_of_comments_is_recognised_and_a_text_is_not(tmp_path: Path) -> None:
    table, text = tmp_path / "c.csv", tmp_path / "t.txt"
    table.write_bytes(_COMMENTS)
    text.write_text("Dear Sir,\nplease find enclosed nothing.\n")
    assert kind_of(table) == "comments"
    with pytest.raises(NewsdeskError, match="outputs or references"):
        kind_of(text)


def _count(folder: Path, report: OnProgress, mark: str) -> None:
    """Write one more line each time that it runs to its end."""
    report(Progress("counting", 1, 2))
    while not Path(mark).exists():
        time.sleep(0.01)
    with (folder / "runs").open("a") as stream:
        stream.write("x")


def _refuse(folder: Path, report: OnProgress) -> None:
    raise DataError("has no column of texts", file=str(folder.parent / "source.csv"))


def _note_process(folder: Path, report: OnProgress, mark: str) -> None:
    part = folder / "process.part"
    part.write_text(str(os.getpid()))
    part.replace(folder / "process")
    _count(folder, report, mark)


async def _ended(jobs: Jobs, folder: Path, *work: object) -> DeskJob:
    for _ in range(500):
        job = jobs.ensure(folder, *work)  # type: ignore[arg-type]
        if job.state != "running":
            return job
        await asyncio.sleep(0.02)
    raise AssertionError(f"{folder} did not end: {job_of(folder)}")


def _run(steps: Callable[[Jobs], object]) -> None:
    async def main() -> None:
        workers = Workers(2, timeout_s=30)
        jobs = Jobs(workers)
        try:
            await steps(jobs)  # type: ignore[misc]
        finally:
            await jobs.close()
            workers.close()

    asyncio.run(main())


def test_a_job_runs_once_however_many_ask_and_shows_how_far_it_is(tmp_path: Path) -> None:
    folder, mark = tmp_path / "job", tmp_path / "mark"

    async def steps(jobs: Jobs) -> None:
        other = Jobs(jobs._workers)  # another server over the same folder
        while job_of(folder).step != "counting":
            jobs.ensure(folder, _count, str(mark))
            other.ensure(folder, _count, str(mark))
            await asyncio.sleep(0.02)
        assert job_of(folder).share == 0.5
        mark.touch()
        assert (await _ended(jobs, folder, _count, str(mark))).state == "done"
        assert (await _ended(other, folder, _count, str(mark))).state == "done"
        await other.close()

    _run(steps)
    assert (folder / "runs").read_text() == "x"


def test_a_job_that_is_refused_says_why_without_a_path_and_can_be_tried_again(
    tmp_path: Path,
) -> None:
    folder, mark = tmp_path / "job", tmp_path / "mark"
    mark.touch()

    async def steps(jobs: Jobs) -> None:
        job = await _ended(jobs, folder, _refuse)
        assert (job.state, job.step) == ("failed", "source.csv: has no column of texts")
        jobs.again(folder)
        assert (await _ended(jobs, folder, _count, str(mark))).state == "done"

    _run(steps)


def test_a_job_whose_process_is_killed_starts_again(tmp_path: Path) -> None:
    folder, mark = tmp_path / "job", tmp_path / "mark"

    async def steps(jobs: Jobs) -> None:
        for _ in range(2):  # the workers try once more by themselves
            (folder / "process").unlink(missing_ok=True)
            while not (folder / "process").exists():
                jobs.ensure(folder, _note_process, str(mark))
                await asyncio.sleep(0.02)
            os.kill(int((folder / "process").read_text()), signal.SIGKILL)
        mark.touch()
        assert (await _ended(jobs, folder, _note_process, str(mark))).state in ("done", "failed")
        jobs.again(folder)
        assert (await _ended(jobs, folder, _note_process, str(mark))).state == "done"

    _run(steps)
    assert (folder / "runs").read_text() == "x"
