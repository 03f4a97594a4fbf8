"""The server as a process: what it prints and logs, how it stops, and what is there after `kill -9`."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path

from newsdesk.service.desk import Desk
from newsdesk.service.settings import ServiceSettings
from tests.service.crowds import (
    CAMPAIGN,
    Acknowledged,
    answer_until,
    crowd,
    lay_out,
    problems,
    run_in_thread,
    store_of,
)
from tests.service.office import Office
from tests.service.serving import Server, serving

TASKS = 300
ANNOTATORS = 8
KILLS = 2
ANSWERS_PER_KILL = 60

# What the server must not load at its start: it takes long, and worker processes need it alone.
HEAVY = {
    "matplotlib",
    "openpyxl",
    "polars",
    "scipy",
    "sklearn",
    "torch",
    "transformers",
    "wordllama",
}


def test_after_kill_9_each_acknowledged_judgment_is_there(tmp_path: Path) -> None:
    data = tmp_path / "data"
    tokens = lay_out(data, tasks=TASKS, annotators=ANNOTATORS)
    answered: Acknowledged = {}
    for _ in range(KILLS):
        with serving(data, tmp_path / "log") as server:
            people = crowd(tokens, [server.port])
            new = run_in_thread(answer_until(people, ANSWERS_PER_KILL, server.kill))
            assert server.process.returncode == -9
        assert len(new) >= ANSWERS_PER_KILL
        answered |= new
        assert problems(store_of(data), answered) == []


def test_several_servers_on_one_postgresql_neither_lose_nor_double_nor_overassign(
    tmp_path: Path, postgresql: str
) -> None:
    data = tmp_path / "data"
    tokens = lay_out(data, tasks=40, annotators=ANNOTATORS, store=postgresql)
    with (
        serving(data, tmp_path / "log", "--store", postgresql, "--servers", "2") as one,
        serving(data, tmp_path / "log", "--store", postgresql) as two,
    ):
        people = crowd(tokens, [one.port, two.port])
        answered = run_in_thread(answer_until(people, 80, lambda: None))
        session = {"cookie": people[0].cookie}
        assert _status(two, f"/annotate/{CAMPAIGN}", session) == 200  # signed in at the other
    assert len(answered) == 80  # two of each task
    assert problems(postgresql, answered) == []


def test_a_stop_finishes_what_runs_and_the_log_holds_no_text_and_no_token(tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "log"
    [token] = lay_out(data, annotators=1, tasks=8, per_item=1)
    with serving(data, log) as server:
        link = server.printed.split()[-1]
        assert link.startswith(f"http://127.0.0.1:{server.port}/sign-in?token=")
        answered = run_in_thread(answer_until(crowd([token], [server.port]), 8, lambda: None))
        _get(server, link.partition(str(server.port))[2])
        assert server.stop() == -15  # the server finishes, then lets the signal end the process
    assert len(answered) == 8
    assert problems(store_of(data), answered) == []
    logged = log.read_text()
    for secret in (token, link.partition("=")[2], "Comment"):
        assert secret not in logged
    lines = [json.loads(line) for line in logged.splitlines()]
    assert {"/join/{token}", "/annotate/{campaign}/tasks/{number}"} <= {
        line.get("route") for line in lines
    }


def test_a_second_start_prints_a_link_only_until_an_admin_signed_in(tmp_path: Path) -> None:
    from newsdesk.service.links import admin_link

    settings = ServiceSettings(tmp_path / "data")
    first = admin_link(settings, "::1", 8000)
    assert first is not None and first.startswith("http://[::1]:8000/")
    assert admin_link(settings, "::1", 8000) not in (None, first)
    desk = Desk.open(settings)
    token = desk.access.admin_link().token
    assert desk.access.sign_in(token) is not None
    desk.close()
    assert admin_link(settings, "::1", 8000) is None
    assert admin_link(settings, "::1", 8000, renew=True) is not None


def test_the_server_starts_without_heavy_libraries() -> None:
    program = (
        "import sys, importlib; from newsdesk.service import app\n"
        "for module in app.ROUTERS: importlib.import_module(module)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert HEAVY & set(done.stdout.split()) == set()


def _status(server: Server, path: str, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def _get(server: Server, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", path)
    body = connection.getresponse().read().decode()
    connection.close()
    return body


def test_metrics_count_requests_by_route_and_need_a_key_of_their_own(office: Office) -> None:
    reader = {"x-api-key": office.desk.access.add_key("reader", ["read"]).token}
    monitor = {"x-api-key": office.desk.access.add_key("monitor", ["metrics"]).token}
    assert office.client.get("/metrics").status_code == 401
    assert office.client.get("/metrics", headers=reader).status_code == 403
    assert office.client.get("/api/v1/campaigns", headers=monitor).status_code == 403
    office.client.get("/no/such/path/with-a-token")
    text = office.client.get("/metrics", headers=monitor).text
    assert 'newsdesk_requests_total{method="GET",route="/metrics",status="401"}' in text
    assert "process_resident_memory_bytes" in text
    assert "with-a-token" not in text
