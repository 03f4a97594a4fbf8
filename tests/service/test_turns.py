"""One person's heavy work is one person's problem: turns are fair, what is given up is given up alone, and every 5xx has one shape."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from newsdesk.campaigns.store import reading
from newsdesk.errors import FileError
from newsdesk.service.api import work
from newsdesk.service.settings import ServiceSettings
from newsdesk.service.workers import CALLER, Caller, Turns, WorkQueueError
from newsdesk.types import Judgment
from tests.service import naps
from tests.service.crowds import run_in_thread
from tests.service.office import HTML, Office
from tests.service.serving import running

LIMIT_S = 4.0


async def hold(turns: Turns, who: str, log: list[str], release: asyncio.Event) -> None:
    CALLER.set(Caller(who))
    async with turns.turn(60):
        log.append(who)
        await release.wait()


async def queued(turns: Turns, names: str) -> tuple[list[str], asyncio.Event, list[Any]]:
    """Start one holder of a turn after the other."""
    log: list[str] = []
    release = asyncio.Event()
    tasks = []
    for who in names:
        tasks.append(asyncio.create_task(hold(turns, who, log, release)))
        await asyncio.sleep(0)
    return log, release, tasks


def test_whoever_was_served_longest_ago_is_next_however_much_another_sends() -> None:
    async def run() -> list[str]:
        log, release, tasks = await queued(Turns(1), "aaaaabcb")
        release.set()
        await asyncio.gather(*tasks)
        return log

    assert run_in_thread(run()) == list("aabcabaa")


def test_a_person_holds_no_more_turns_than_allowed() -> None:
    async def run() -> tuple[list[str], int]:
        log, release, tasks = await queued(Turns(4, most_each=2), "aaab")
        begun = list(log)
        release.set()
        await asyncio.gather(*tasks)
        return begun, len(log)

    assert run_in_thread(run()) == (["a", "a", "b"], 4)


def test_one_more_turn_is_for_somebody_who_has_none_and_waited() -> None:
    async def run() -> list[str]:
        log, release, tasks = await queued(Turns(1, spare=True, patience_s=0.05), "aab")
        assert log == ["a"]
        await asyncio.sleep(0.2)
        begun = list(log)  # not the second of a
        release.set()
        await asyncio.gather(*tasks)
        return begun

    assert run_in_thread(run()) == ["a", "b"]


def test_one_that_is_cancelled_in_the_queue_or_at_work_leaves_the_others_their_turn() -> None:
    async def run() -> list[str]:
        log, release, tasks = await queued(Turns(1), "abcd")
        tasks[1].cancel()
        tasks[0].cancel()
        await asyncio.sleep(0.01)
        assert log == ["a", "c"]
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return log

    assert run_in_thread(run()) == ["a", "c", "d"]


def test_work_that_a_request_leaves_behind_has_neither_its_limit_nor_its_end() -> None:
    async def run() -> list[str]:
        turns, log, release = Turns(1), [], asyncio.Event()
        release.set()
        async with asyncio.timeout(5) as deadline:
            caller = Caller("a", deadline, asyncio.current_task())
            CALLER.set(caller)
            async with turns.turn(60):

                async def later() -> None:
                    async with turns.turn(60):
                        log.append("done")

                left = asyncio.create_task(later())
                await asyncio.sleep(0.01)
                assert deadline.when() is not None  # the clock of the request goes on
        await left
        return log

    assert run_in_thread(run()) == ["done"]


def test_a_turn_that_never_comes_is_given_up_with_a_reason() -> None:
    async def run() -> None:
        turns = Turns(1)
        _, release, tasks = await queued(turns, "a")
        with pytest.raises(WorkQueueError, match="nothing became free in"):
            async with turns.turn(0.01):
                pass
        release.set()
        await asyncio.gather(*tasks)
        async with turns.turn(0.01):  # nothing was lost with it
            pass

    run_in_thread(run())


def post(port: int, key: str, most: int) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps({"model": "ready", "threads": [], "most": most})
    connection.request("POST", "/api/v1/explain", body, headers)
    answer = connection.getresponse()
    value = json.loads(answer.read())
    connection.close()
    return answer.status, value


def test_a_job_at_its_limit_is_stopped_alone_and_those_behind_it_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "explain", naps.nap)
    settings = ServiceSettings(tmp_path / "data", request_timeout_s=LIMIT_S)
    with running(settings) as (port, app):
        keys = [app.state.desk.access.add_key(f"k{n}", ["read"]).token for n in range(4)]
        assert post(port, keys[0], 1) == (200, {"explanations": []})
        results: dict[int, tuple[int, Any]] = {}
        # All begin before the heavy one ends: they wait for longer than a request may take.
        calls = [(0, 100), *((n, 5) for n in (1, 2, 3))]
        threads = [
            threading.Thread(target=lambda n=n, most=most: results.update({n: post(port, keys[n], most)}))
            for n, most in calls
        ]  # fmt: skip
        for thread in threads:
            thread.start()
            time.sleep(0.05)
        for thread in threads:
            thread.join()
    assert results.pop(0)[1]["error"]["code"] == "timeout"
    assert [status for status, _ in results.values()] == [200] * 3


@contextlib.contextmanager
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[list[dict[str, Any]]]:
    """The fields of the lines that are logged while the block runs."""
    fields: list[dict[str, Any]] = []
    caplog.clear()
    caplog.set_level(logging.INFO, "newsdesk.service")
    yield fields
    fields += [
        {"event": record.message, **record.fields}
        for record in caplog.records
        if hasattr(record, "fields")
    ]


@pytest.mark.parametrize(
    ("function", "reason"),
    [(naps.fail, "ValueError"), (naps.die, "two workers died one after the other at this work")],
)
def test_a_bug_in_a_worker_is_in_the_log_with_its_place_and_without_its_text(
    office: Office,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    function: Callable[..., Any],
    reason: str,
) -> None:
    monkeypatch.setattr(work, "explain", function)
    with logged(caplog) as lines:
        answer = office.program("read").post("/api/v1/explain", json={"threads": []})
    assert answer.status_code == 500
    assert answer.json()["error"] == {"code": "bug", "message": "an error of newsdesk; its log says where"}  # fmt: skip
    [bug] = [line for line in lines if line["event"] == "bug"]
    assert (bug["error"], bug["route"]) == (reason, "/api/v1/explain")
    assert function is naps.die or bug["where"][-1].startswith("naps.py:")
    assert "secret" not in str(lines)
    assert [line["status"] for line in lines if line["event"] == "request"] == [500]


def test_every_5xx_has_the_one_shape_the_headers_and_a_page_for_browsers(
    office: Office, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    admin, program = office.admin(), office.program("admin")

    for error, status, code in (
        (KeyError("a text"), 500, "bug"),
        (FileError("disk: no space"), 503, "unavailable"),
        (TimeoutError("of something else"), 500, "bug"),
    ):
        monkeypatch.setattr(type(office.desk.store), "campaigns", Mock(side_effect=error))
        with logged(caplog) as lines:
            for path in ("/api/v1/campaigns", "/ready"):
                answer = program.get(path)
                assert answer.status_code == status
                assert answer.json()["error"]["code"] == code
                assert "script-src 'self'" in answer.headers["content-security-policy"]
            page = admin.get("/", headers=HTML)
        assert page.status_code == status and "<h1>" in page.text and "a text" not in page.text
        assert page.headers["x-content-type-options"] == "nosniff"
        reasons = [line for line in lines if line["event"] in ("bug", "unavailable")]
        assert len(reasons) == 3
        assert status != 503 or reasons[0]["reason"] == "disk: no space"


def test_a_request_that_the_stop_of_the_server_cancels_has_the_shape_too(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = office.desk.access.add_key("k", ["read"]).token
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/api/v1/score", "raw_path": b"/api/v1/score",
        "root_path": "", "scheme": "http", "query_string": b"", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "state": {},
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"authorization", f"Bearer {key}".encode())],
    }  # fmt: skip

    async def run() -> None:
        task: asyncio.Task[None] = asyncio.create_task(office.app(scope, receive, send))
        await asyncio.sleep(0.2)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    run_in_thread(run())
    assert sent[0]["status"] == 503
    assert json.loads(sent[1]["body"])["error"]["code"] == "stopping"


def test_readers_who_do_not_read_leave_the_store_to_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than the buffers of a socket hold, so that each answer keeps its connection to the store.
    row = Judgment("pilot", "x" * 10_000, "a", "c", "grade", 3, "ann")
    monkeypatch.setattr(reading, "judgments", lambda *_, **__: itertools.repeat(row, 1500))
    settings = ServiceSettings(tmp_path / "data", requests_per_minute=10**6, stall_timeout_s=30)
    with running(settings) as (port, app), contextlib.ExitStack() as stack:
        office = Office(app, None)
        office.campaign("pilot", "grade")
        key = office.desk.access.add_key("k", ["admin"]).token
        request = (
            "GET /api/v1/judgments?campaign=pilot HTTP/1.1\r\nhost: localhost\r\n"
            f"authorization: Bearer {key}\r\n\r\n"
        ).encode()
        for _ in range(12):  # more than there are connections to the store
            slow = stack.enter_context(socket.socket())
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            slow.connect(("127.0.0.1", port))
            slow.sendall(request)
        time.sleep(0.5)
        began = time.monotonic()
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/ready")
        assert connection.getresponse().status == 200
        connection.close()
        assert time.monotonic() - began < 2
