"""The pool of processes outlives what kills its workers, and a bad page costs one record."""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from newsdesk.corpus.articles import Extraction, build_articles
from newsdesk.errors import (
    ArgumentError,
    DataError,
    EngineError,
    MissingExtraError,
    NewsdeskError,
    PageError,
)
from newsdesk.work import Progress, Running, Watch, WorkTask, map_items, run_tasks
from newsdesk.work.worker import Worker
from tests.conftest import ROOT
from tests.corpus.articles.test_articles import files_of
from tests.corpus.writing import Stored, page, write_crawl, write_warc

HOSTILE = Extraction(extractor="tests.corpus.writing:hostile")


def children() -> list[int]:
    """The processes that this one has started."""
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def units(progress: Progress) -> int:
    """The number of pages begun, which the step begins with."""
    return int(progress.step.split()[0]) if progress.step else 0


def test_pages_that_crash_hang_loop_or_raise_cost_one_record_each(tmp_path: Path) -> None:
    titles = ["fine", "KILLS", "good", "SLEEPS", "well", "LOOPS", "RAISES", "REFUSES", "right"]
    write_warc(
        tmp_path / "a.warc",
        (Stored(f"https://a.example/{n}", page(title)) for n, title in enumerate(titles)),
    )
    write_crawl(tmp_path / "b.warc", "beta", 5)
    report = build_articles(
        ["a.warc", "b.warc"], tmp_path / "out", root=tmp_path, extraction=HOSTILE,
        running=Running(workers=2, timeout_s=0.3),
    )  # fmt: skip
    assert dict(report.tally.dropped) == {"crashed": 1, "timeout": 2, "extractor failed": 2}
    assert (report.tally.kept, report.rejected) == (9, 5)


def test_workers_killed_by_somebody_else_cost_nothing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_crawl(tmp_path / f"{name}.warc", name, 60)
    resource_tracker.ensure_running()  # a child of ours that must not be killed for a worker
    before = set(children())  # of other tests in this process: not ours to kill
    killed: list[int] = []

    def kill_now_and_then(progress: Progress) -> None:
        if units(progress) // 25 > len(killed) and len(killed) < 4:
            killed.append(next(pid for pid in children() if pid not in before))
            os.kill(killed[-1], signal.SIGKILL)

    slow = Extraction(extractor="tests.corpus.writing:slow")
    for out, report in (("calm", lambda progress: None), ("killed", kill_now_and_then)):
        running = Running(workers=2, report=report)
        build_articles(
            ["a.warc", "b.warc"], tmp_path / out, root=tmp_path, extraction=slow, running=running
        )
    assert len(killed) == 4
    assert files_of(tmp_path / "calm") == files_of(tmp_path / "killed")


def test_no_worker_is_left_behind(tmp_path: Path) -> None:
    before = children()
    write_crawl(tmp_path / "a.warc", "a", 3)
    build_articles(["a.warc"], tmp_path / "out", root=tmp_path, extraction=HOSTILE)
    assert children() == before


def test_a_task_that_kills_its_workers_outside_a_page_is_given_up_with_its_name() -> None:
    with pytest.raises(EngineError, match=r"bad\.warc: 3 workers died before its first page"):
        run_tasks([WorkTask("bad.warc", "tests.work.test_processes:dies", {})])


def dies(watch: object) -> None:
    os._exit(1)


def fails(watch: object) -> None:
    raise ZeroDivisionError


def answers(watch: object, *, number: int) -> int:
    time.sleep(0.01 * (number % 3))
    return number


def test_a_bug_keeps_its_traceback() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_tasks([WorkTask("a", "tests.work.test_processes:fails", {})])


@pytest.mark.parametrize("engine", ["processes", "inline"])
def test_results_come_in_the_order_of_the_tasks(engine: str) -> None:
    function = "tests.work.test_processes:answers"
    tasks = [WorkTask(str(n), function, {"number": n}, size=1 + n % 4) for n in range(9)]
    assert run_tasks(tasks, engine=engine, workers=3) == list(range(9))


def test_progress_never_goes_back_below_zero_or_above_one(tmp_path: Path) -> None:
    write_crawl(tmp_path / "a.warc", "a", 20)
    seen: list[Progress] = []
    build_articles(
        ["a.warc"],
        tmp_path / "out",
        root=tmp_path,
        extraction=HOSTILE,
        running=Running(report=seen.append),
    )
    assert units(seen[-1]) == 20
    assert all(0 <= (each.fraction or 0) <= 1 for each in seen)
    assert seen[-1].fraction == 1


def test_settings_that_cannot_work_are_refused() -> None:
    for settings in ({"engine": "steam"}, {"workers": 0}, {"timeout_s": 0}):
        with pytest.raises(ArgumentError):
            run_tasks([WorkTask("a", "b:c", {})], **settings)


def test_a_limit_of_time_does_nothing_outside_the_main_thread() -> None:
    from newsdesk.work.tasks import cpu_limit

    entered = []

    def work() -> None:
        with cpu_limit(0.001):
            entered.append(sum(range(100_000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert entered


def added(shared: int, item: int) -> int:
    if item == 7:
        raise DataError("seven is no item", file="items.jsonl", line=7)
    time.sleep(0.01 * (item % 3))
    return shared + item


@pytest.mark.parametrize(("engine", "workers"), [("inline", 1), ("processes", 3)])
def test_a_function_over_items_answers_in_their_order(engine: str, workers: int) -> None:
    assert list(map_items(engine, added, 10, range(7), workers=workers)) == list(range(10, 17))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_newsdesk_crosses_processes_as_itself(workers: int) -> None:
    with pytest.raises(DataError, match=r"items\.jsonl:7: seven is no item") as raised:
        list(map_items("processes", added, 0, range(5, 9), workers=workers))
    assert (raised.value.file, raised.value.line) == ("items.jsonl", 7)


@pytest.mark.parametrize(
    "error",
    [
        DataError("wrong", file="a.jsonl", line=3),
        PageError("binary", kind="binary", file="a.html"),
        MissingExtraError("training", "neural"),
        EngineError("no worker"),
    ],
)
def test_every_error_survives_being_pickled(error: NewsdeskError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_worker_outlives_the_thread_that_started_it() -> None:
    workers: list[Worker] = []

    def ask(number: int) -> None:
        worker = workers[0] if workers else Worker()
        workers[:] = [worker]
        worker.send("tests.work.test_processes:answers", {"number": number})
        answers_heard.append(worker.answer())

    answers_heard: list[object] = []
    for number in (1, 2):
        thread = threading.Thread(target=ask, args=[number])
        thread.start()
        thread.join()
    workers[0].kill()
    assert answers_heard == [("done", 1), ("done", 2)]


def never_ends(watch: Watch) -> None:
    """Tell the process id, then compute in C without end."""
    with watch.unit(os.getpid(), 0):
        sum(itertools.repeat(0))


def runs(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_busy_worker_dies_with_the_process_that_started_it() -> None:
    program = """
import os
from newsdesk.work.worker import Worker
worker = Worker()
worker.send("tests.work.test_processes:never_ends", {})
print(worker.answer()[1], flush=True)
os.kill(os.getpid(), 9)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    worker = int(ended.stdout)
    deadline = time.monotonic() + 10
    while runs(worker) and time.monotonic() < deadline:
        time.sleep(0.01)
    if runs(worker):
        os.kill(worker, signal.SIGKILL)
        pytest.fail("the worker went on without the process that started it")
