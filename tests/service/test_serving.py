"""The server as a process: what it prints and logs, how it stops, and what is there after `kill -9`."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from pathlib import Path

from newsdesk.campaigns import Store, Target, Task, protocol
from newsdesk.service.desk import Desk
from newsdesk.service.settings import Settings
from tests.service.serving import Annotator, Server, serving

TASKS = 300
ANNOTATORS = 4
KILLS = 2


def crowd(
    data: Path, *, tasks: int = TASKS, annotators: int = ANNOTATORS, per_item: int = 2
) -> list[str]:
    """An open campaign of grades and a link for each annotator; returns the tokens."""
    desk = Desk.open(Settings(data))
    try:
        texts = [Task(f"c{n}", "a", (Target(f"c{n}", f"Comment {n}."),)) for n in range(tasks)]
        desk.store.create("crowd", protocol("grade"), texts, None, per_item=per_item, seed=0)
        for number in range(annotators):
            desk.store.join("crowd", f"w{number}")
        return [desk.access.invite("crowd", f"w{number}").token for number in range(annotators)]
    finally:
        desk.close()


def kill_while_answering(
    data: Path, log: Path, tokens: list[str], after_s: float
) -> dict[tuple[str, int], int]:
    """Start a server, let everybody answer, kill it; returns what was acknowledged."""
    with serving(data, log) as server:
        people = [Annotator(f"w{n}", server.port, token, "crowd") for n, token in enumerate(tokens)]
        for each in people:
            each.sign_in()
        stop = threading.Event()
        threads = [threading.Thread(target=each.answer_until, args=(stop,)) for each in people]
        for thread in threads:
            thread.start()
        time.sleep(after_s)
        assert server.kill() == -9
        stop.set()
        for thread in threads:
            thread.join()
    return {
        (each.name, task): grade for each in people for task, grade in each.acknowledged.items()
    }


def problems(data: Path, acknowledged: dict[tuple[str, int], int]) -> list[str]:
    """What is wrong with the store, if anything: lost, changed or doubled judgments, too many annotators at a task."""
    faults = []
    with Store.open(f"sqlite:///{data}/campaigns/newsdesk.db", create=False) as store:
        stored: dict[tuple[str, int], object] = {}
        at_task: dict[str, set[str]] = {}
        for row in store.judgments("crowd", names=True, current=False):
            key = (row.annotator, int(row.task[1:]))
            if key in stored:
                faults.append(f"{key} is there twice")
            stored[key] = row.value
            at_task.setdefault(row.task, set()).add(row.annotator)
        faults += [
            f"{key}: {stored.get(key)}, not {grade}"
            for key, grade in acknowledged.items()
            if stored.get(key) != grade
        ]
        most = store.campaign("crowd").per_item
        faults += [
            f"{task} has {len(who)} annotators" for task, who in at_task.items() if len(who) > most
        ]
    return faults


def test_after_kill_9_each_acknowledged_judgment_is_there(tmp_path: Path) -> None:
    data = tmp_path / "data"
    tokens = crowd(data)
    rng = random.Random(7)
    acknowledged: dict[tuple[str, int], int] = {}
    for _ in range(KILLS):
        acknowledged |= kill_while_answering(data, tmp_path / "log", tokens, rng.uniform(0.8, 1.6))
        assert problems(data, acknowledged) == []
    assert len(acknowledged) > KILLS


def test_a_stop_finishes_what_runs_and_the_log_holds_no_text_and_no_token(tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "log"
    [token] = crowd(data, annotators=1, tasks=8, per_item=1)
    with serving(data, log) as server:
        link = server.printed.split()[-1]
        assert link.startswith(f"http://127.0.0.1:{server.port}/sign-in?token=")
        ann = Annotator("w0", server.port, token, "crowd")
        ann.sign_in()
        ann.answer_until(threading.Event())
        _get(server, link.partition(str(server.port))[2])
        assert server.stop() == -15  # the server finishes, then lets the signal end the process
    assert len(ann.acknowledged) == 8
    assert problems(data, {("w0", task): grade for task, grade in ann.acknowledged.items()}) == []
    logged = log.read_text()
    for secret in (token, link.partition("=")[2], "Comment"):
        assert secret not in logged
    lines = [json.loads(line) for line in logged.splitlines()]
    assert {"/join/{token}", "/annotate/{campaign}/tasks/{number}"} <= {
        line.get("route") for line in lines
    }


def test_a_second_start_prints_a_link_only_until_an_admin_signed_in(tmp_path: Path) -> None:
    from newsdesk.service.run import admin_link

    settings = Settings(tmp_path / "data")
    first = admin_link(settings, "::1", 8000)
    assert first is not None and first.startswith("http://[::1]:8000/")
    assert admin_link(settings, "::1", 8000) not in (None, first)
    desk = Desk.open(settings)
    token = desk.access.admin_link().token
    assert desk.access.sign_in(token) is not None
    desk.close()
    assert admin_link(settings, "::1", 8000) is None
    assert admin_link(settings, "::1", 8000, renew=True) is not None


def _get(server: Server, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", path)
    body = connection.getresponse().read().decode()
    connection.close()
    return body
