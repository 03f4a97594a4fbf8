"""Connections attacked with raw sockets on loopback: half-sent heads, too many at once, smuggled bodies, clients that do not read."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from newsdesk.service.connections import ConnectionBounds
from newsdesk.service.limits import JsonLines
from newsdesk.service.settings import ServiceSettings
from tests.service.serving import running, serving

HALF = b"GET /health HTTP/1.1\r\nhost: localhost\r\nx-slow: "
WHOLE = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"
HEAD_S = 0.4
MOST = 12
PER_ADDRESS = 6


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    settings = ServiceSettings(
        tmp_path_factory.mktemp("guarded") / "data",
        head_timeout_s=HEAD_S,
        stall_timeout_s=HEAD_S,
        max_connections=MOST,
        max_connections_per_address=PER_ADDRESS,
    )
    with running(settings) as (port, _):
        yield port


@contextlib.contextmanager
def connected(port: int, source: str = "127.0.0.1") -> Iterator[socket.socket]:
    with socket.create_connection(
        ("127.0.0.1", port), timeout=10, source_address=(source, 0)
    ) as client:
        yield client


def read_all(client: socket.socket) -> bytes:
    """What comes until the server closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(65536):
            received += piece
    return received


def ask(client: socket.socket, request: bytes) -> int:
    """The status of an answer, which is read to its end and the connection kept."""
    client.sendall(request)
    answer = http.client.HTTPResponse(client)
    answer.begin()
    answer.read()
    return answer.status


def health(port: int, source: str = "127.0.0.1") -> int:
    with connected(port, source) as client:
        return ask(client, WHOLE)


def error_of(answer: bytes) -> tuple[int, dict[str, Any]]:
    """The status and the error of an answer in the one shape."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head.lower()
    return int(head.split()[1]), json.loads(body)["error"]


def test_a_head_that_is_sent_byte_by_byte_is_cut_after_its_time(port: int) -> None:
    with connected(port) as client:
        client.sendall(HALF)
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 4 * HEAD_S:
                client.sendall(b"x")  # each byte would start the clock of a keep-alive again
                time.sleep(HEAD_S / 8)
        assert time.monotonic() - began < 3 * HEAD_S
        status, error = error_of(read_all(client))
    assert (status, error["code"]) == (408, "timeout")


def test_a_connection_that_says_nothing_is_closed(port: int) -> None:
    with connected(port) as client:
        assert read_all(client) == b""


def test_a_second_head_on_a_connection_has_the_same_time(port: int) -> None:
    with connected(port) as client:
        assert ask(client, WHOLE) == 200
        client.sendall(HALF)
        assert error_of(read_all(client))[0] == 408


def test_a_body_that_drips_in_after_the_answer_is_cut(port: int) -> None:
    with connected(port) as client:
        head = b"POST /api/v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-length: 999\r\n\r\n"
        assert ask(client, head) == 401
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 4 * HEAD_S:
                client.sendall(b"x")
                time.sleep(HEAD_S / 8)
        assert time.monotonic() - began < 3 * HEAD_S


def test_half_open_connections_of_one_address_keep_neither_it_nor_others_out(port: int) -> None:
    with contextlib.ExitStack() as stack:
        attackers = [stack.enter_context(connected(port)) for _ in range(3 * PER_ADDRESS)]
        for attacker in attackers:
            with contextlib.suppress(ConnectionError):
                attacker.sendall(HALF)
        assert health(port) == 200
        assert health(port, "127.0.0.2") == 200


def test_connections_are_bounded_in_all_and_those_that_sent_a_request_stay(port: int) -> None:
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(connected(port, "127.0.0.3"))
        assert ask(client, WHOLE) == 200
        attackers = [
            stack.enter_context(connected(port, f"127.0.1.{number}")) for number in range(2 * MOST)
        ]
        assert health(port, "127.0.0.2") == 200
        assert ask(client, WHOLE) == 200  # its keep-alive has not ended
        attackers[0].settimeout(HEAD_S / 2)
        assert read_all(attackers[0]) == b""  # the oldest was closed before its time


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "transfer-encoding: CHUNKED\r\ncontent-length: 0",
    ],
)
def test_a_body_of_two_lengths_is_refused_and_nothing_behind_it_is_read(
    port: int, headers: str
) -> None:
    smuggled = b"0\r\n\r\nGET /health HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with connected(port) as client:
        head = f"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n{headers}\r\n\r\n"
        client.sendall(head.encode() + smuggled)
        answer = read_all(client)
    status, error = error_of(answer)
    assert (status, error["code"]) == (400, "framing")
    assert answer.count(b"\r\n\r\n") == 1


@pytest.mark.parametrize(
    "request_",
    [
        b"POST / HTTP/1.0\r\nhost: localhost\r\naccept: */*\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 100_000,
        b"\x16\x03\x01\x02\x00\x01",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused_in_the_shape_of_all_errors(port: int, request_: bytes) -> None:
    with connected(port) as client:
        client.sendall(request_)
        status, error = error_of(read_all(client))
    assert status in (400, 408) and error.keys() == {"code", "message"}


def test_a_chunk_that_is_not_one_ends_its_request_without_a_bug(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("newsdesk.service").propagate = True
    with connected(port) as client:
        client.sendall(
            b"POST /sign-in HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n"
            b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"
        )
        time.sleep(0.1)
        client.sendall(b"no chunk\r\n")
        assert error_of(read_all(client))[0] == 400
    assert [record.message for record in caplog.records if record.message == "bug"] == []


def test_a_client_that_does_not_read_its_answers_is_dropped(port: int) -> None:
    with connected(port) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        request = b"GET /static/app.css HTTP/1.1\r\nhost: localhost\r\n\r\n"
        began = time.monotonic()
        with pytest.raises((ConnectionError, TimeoutError)):
            while time.monotonic() - began < 10 * HEAD_S:
                client.sendall(request * 50)
    assert time.monotonic() - began < 9.5  # the client itself gives up after ten seconds


def test_with_256_descriptors_health_is_answered_under_400_half_open_connections(
    tmp_path: Path,
) -> None:
    with (
        serving(tmp_path / "data", tmp_path / "log", descriptors=256) as server,
        contextlib.ExitStack() as stack,
    ):
        attackers = [stack.enter_context(connected(server.port)) for _ in range(400)]
        for attacker in attackers:
            with contextlib.suppress(ConnectionError):
                attacker.sendall(HALF)
        began = time.monotonic()
        answers = [health(server.port) for _ in range(5)]
        probe = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        probe.request("GET", "/ready")  # it reads the store, which needs files
        assert (answers, probe.getresponse().status) == ([200] * 5, 200)
        probe.close()
        assert time.monotonic() - began < 5
    events = [json.loads(line)["event"] for line in (tmp_path / "log").read_text().splitlines()]
    assert events.count("request") >= 6


def test_a_proxy_is_one_address_with_the_connections_of_many(tmp_path: Path) -> None:
    bounds = ConnectionBounds.of(
        ServiceSettings(tmp_path, proxies=("192.0.2.0/24",), max_connections=50)
    )
    assert bounds.most_per_address == bounds.most == 50
    assert bounds.of_proxy("192.0.2.7") and not bounds.of_proxy("127.0.0.1")
    assert not bounds.of_proxy("")


def test_no_field_of_a_log_line_replaces_its_time() -> None:
    record = logging.LogRecord("newsdesk.service", logging.ERROR, "", 0, "bug", (), None)
    record.fields = {"at": ["app.py:1"], "level": 3, "error": "ValueError"}
    line = json.loads(JsonLines().format(record))
    assert line["at"].startswith("20") and line["level"] == "error"
    assert line["error"] == "ValueError"
