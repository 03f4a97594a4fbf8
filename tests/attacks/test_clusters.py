"""Addresses of clusters that answer wrongly or not at all."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

import pytest

from newsdesk.errors import ArgumentError, EngineError
from newsdesk.work.cluster import map_on_cluster, scheduler_of
from tests.cli.running import run
from tests.work.clusters import free_port


def test_a_scheduler_that_does_not_answer_is_an_error_within_ten_seconds() -> None:
    """One that nobody listens at, one that is silent, and one that speaks another protocol, at the same time."""
    ended: dict[str, tuple[str, float]] = {}

    def connect(what: str, port: int) -> None:
        began = time.monotonic()
        try:
            map_on_cluster(f"dask://127.0.0.1:{port}", divmod, 7, [2])
        except EngineError as error:
            ended[what] = str(error), time.monotonic() - began

    def greet(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                with listener.accept()[0] as connection:
                    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        threading.Thread(target=greet, args=(other,), daemon=True).start()
        ports = {
            "nobody": free_port(),
            "silent": silent.getsockname()[1],
            "other": other.getsockname()[1],
        }
        threads = [
            threading.Thread(target=connect, args=pair, daemon=True) for pair in ports.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(15)
    assert ended.keys() == ports.keys()
    for message, seconds in ended.values():
        assert "no scheduler answers there; start one, or mend the address" in message
        assert seconds < 10


@pytest.mark.parametrize("port", ["0", "65536", "999999999999999999999"])
def test_a_port_out_of_range_is_refused_at_once(port: str) -> None:
    with pytest.raises(ArgumentError, match="the port is not from 1 to 65535"):
        scheduler_of(f"dask://127.0.0.1:{port}")
    done = run("corpus", "dedup", "x.jsonl", "-o", "y.jsonl", "--engine", f"dask://[::1]:{port}")
    assert done.returncode == 2 and "the port is not from 1 to 65535" in done.stderr
