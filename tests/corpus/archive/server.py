"""A loopback Internet Archive: availability, CDX, Save Page Now and the Wayback Machine, and the publishers whose pages it holds.

Run as a program it prints its ports and logs every request to a file. A third of the URLs meets a fault; what each one is, and the outcome that it has to
get, is a function of its number, so that a test knows the truth without asking.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from newsdesk.types import Event, Source

HOSTS = ("archive", "web", "north", "south")
STALL_S = 6.0
TAKEN = "20190503120000"
_PARAGRAPH = (
    "The council of the harbour town has voted to rebuild the old lighthouse after a storm damaged its tower. "
    "Engineers said on Monday that the work will take eleven months and cost about four million. "
)

# What a URL meets, and its outcome without and with Save Page Now.
FAULTS: dict[str, tuple[str, str]] = {
    "timeout": ("timeout", "timeout"),
    "home": ("redirect to a home page", "redirect to a home page"),
    "slow-down": ("obtained", "obtained"),
    "truncated": ("truncated answer", "truncated answer"),
    "cut-once": ("obtained", "obtained"),
    "soft-404": ("soft 404", "soft 404"),
    "wall": ("login wall", "login wall"),
    "password": ("login wall", "login wall"),
    "down": ("server error", "server error"),
    "none": ("no snapshot", "obtained"),
    "unsaved": ("no snapshot", "could not be saved"),
    "private": ("no snapshot", "excluded by robots.txt"),
    "missed": ("obtained", "obtained"),
    "far": ("no snapshot near the date", "obtained"),
    "hidden": ("excluded by robots.txt", "excluded by robots.txt"),
    "garbage": ("unreadable answer", "unreadable answer"),
    "pdf": ("not HTML", "not HTML"),
    "moved": ("obtained", "obtained"),
    "loop": ("too many redirects", "too many redirects"),
    "outside": ("redirect out of the archive", "redirect out of the archive"),
    "gone": ("missing in the snapshot", "missing in the snapshot"),
    "empty": ("no text", "no text"),
}
_UNKNOWN = ("none", "unsaved", "private")  # what no snapshot is there of
_NAMES = list(FAULTS)


def fault_of(number: int) -> str | None:
    """The fault of a URL; two of three have none."""
    return _NAMES[number // 3 % len(_NAMES)] if number % 3 == 0 else None


def outcome_of(number: int, *, save: bool) -> str:
    fault = fault_of(number)
    return FAULTS[fault][save] if fault else "obtained"


def url_of(number: int, ports: dict[str, int]) -> str:
    fault = fault_of(number) or "fine"
    return f"http://127.0.0.1:{ports['north' if number % 2 else 'south']}/{fault}/{number}.html"


def events_for(count: int, ports: dict[str, int], first: int = 0) -> list[Event]:
    """Events that cite so many URLs, five each."""
    return [
        Event(
            f"e{start}",
            f"20{16 + start % 4}-05-01",
            "The council voted.",
            sources=tuple(
                Source(url_of(number, ports))
                for number in range(start, min(start + 5, first + count))
            ),
        )
        for start in range(first, first + count, 5)
    ]


def endpoints(ports: dict[str, int]) -> list[str]:
    archive, web = (f"http://127.0.0.1:{ports[name]}" for name in ("archive", "web"))
    return [
        f"availability={archive}/wayback/available",
        f"cdx={web}/cdx/search/cdx",
        f"save={web}/save/",
        f"web={web}/web/",
    ]


def article(number: int) -> bytes:
    text = "".join(f"<p>{_PARAGRAPH}Paragraph {place} of story {number}.</p>" for place in range(6))
    return (
        f"<html><head><title>Lighthouse story {number}</title></head>"
        f"<body><article><h1>Lighthouse story {number}</h1>{text}</article></body></html>"
    ).encode()


@dataclass(frozen=True, slots=True)
class Reply:
    status: int = 200
    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False


class State:
    """The log of requests, and how often each page was asked for."""

    def __init__(self, log: Path) -> None:
        self.stream = log.open("a", encoding="utf-8")
        self.lock = threading.Lock()
        self.asked: Counter[str] = Counter()

    def note(self, host: str, path: str, page: str) -> int:
        with self.lock:
            self.asked[path] += 1
            row = {"t": time.monotonic(), "host": host, "path": path, "page": page}
            self.stream.write(json.dumps(row) + "\n")
            self.stream.flush()
            return self.asked[path]


def page_of(path: str) -> str:
    """The URL that a request is about, as host-less `/fault/number.html`; empty for robots.txt."""
    parts = urlsplit(path)
    if "url" in (query := parse_qs(parts.query)):
        path = query["url"][0]
    place = path.rfind("//127.0.0.1")
    return urlsplit(path[place:]).path if place >= 0 else ""


def reply(host: str, path: str, turn: int, web: str) -> Reply:
    page = page_of(path)
    fault = page.split("/")[1] if page.count("/") > 1 else ""
    if path == "/robots.txt":
        rules = "Disallow: /private/" if host in ("north", "south") else "Disallow: /web/*/hidden/"
        return Reply(200, f"User-agent: *\n{rules}\n".encode(), "text/plain")
    if path.startswith("/wayback/available"):
        return _availability(path, fault, web)
    if path.startswith("/cdx/"):
        return _cdx(path, fault)
    if path.startswith("/save/"):
        target = path.removeprefix("/save/")
        if fault == "unsaved":
            return Reply(404, b"<html>This URL could not be archived.</html>")
        return Reply(302, headers=(("Location", f"/web/20261101000000/{target}"),))
    return _replay(path, page, fault, turn) if path.startswith("/web/") else Reply(404)


def _availability(path: str, fault: str, web: str) -> Reply:
    url = parse_qs(urlsplit(path).query)["url"][0]
    if fault == "garbage":
        return Reply(200, b"<html>Temporarily offline</html>")
    if fault in (*_UNKNOWN, "missed"):
        return _json({"url": url, "archived_snapshots": {}})
    when = "19990101000000" if fault == "far" else _taken(path)
    closest = {"status": "200", "available": True, "timestamp": when, "url": f"{web}{when}/{url}"}
    return _json({"url": url, "archived_snapshots": {"closest": closest}})


def _taken(path: str) -> str:
    day = parse_qs(urlsplit(path).query).get("timestamp", [TAKEN])[0]
    return f"{day[:8]}120000"


def _cdx(path: str, fault: str) -> Reply:
    query = parse_qs(urlsplit(path).query)
    if fault != "missed":
        return _json([])
    header = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
    stamps = [f"{query['closest'][0]}000000", f"{query['to'][0]}000000"]
    rows = [["x", each, query["url"][0], "text/html", "200", "D", "9"] for each in stamps]
    return _json([header, *rows])


def _replay(path: str, page: str, fault: str, turn: int) -> Reply:
    number = int("".join(filter(str.isdigit, page.split("/")[-1])) or 0)
    site = path[: path.rfind(page)] if page else path
    again = path.replace(f"/{fault}/", f"/{fault}/again/")
    if fault == "timeout":
        time.sleep(STALL_S)
    special: dict[str, Reply] = {
        "home": Reply(302, headers=(("Location", f"{site}/"),)),
        "truncated": Reply(200, article(number), cut=True),
        "soft-404": Reply(200, b"<html><title>Page not found</title><body><p>Sorry, the page you requested is gone.</p></body></html>"),
        "wall": Reply(302, headers=(("Location", f"{site}/login?next={number}"),)),
        "password": Reply(200, b"<html><title>The Post</title><body><form><input type='password'></form><p>Members.</p></body></html>"),
        "down": Reply(500, b"oops"),
        "pdf": Reply(200, b"%PDF-1.4 x", "application/pdf"),
        "moved": Reply(302, headers=(("Location", path.replace("/moved/", "/fine/").replace("12", "13", 1)),)),
        "loop": Reply(302, headers=(("Location", again),)),
        "outside": Reply(302, headers=(("Location", "http://127.0.0.1:9/elsewhere"),)),
        "gone": Reply(404, b"<html>not here</html>"),
        "empty": Reply(200, b"<html><body></body></html>"),
    }  # fmt: skip
    if fault == "slow-down" and turn == 1:
        return Reply(429, b"slow down", headers=(("Retry-After", "1"),))
    if fault == "cut-once" and turn == 1:
        return Reply(200, article(number), cut=True)
    return special.get(fault, Reply(200, article(number)))


def _json(value: Any) -> Reply:
    return Reply(200, json.dumps(value).encode(), "application/json")


def handler(host: str, state: State, web: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            turn = state.note(host, self.path, page_of(self.path))
            answer = reply(host, self.path, turn, web)
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.body)))
            for name, value in answer.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)
            if answer.cut:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    return Handler


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a client that was killed


def main(log: Path) -> None:
    """Serve until standard input closes."""
    sockets = {name: socket.create_server(("127.0.0.1", 0), backlog=64) for name in HOSTS}
    ports = {name: each.getsockname()[1] for name, each in sockets.items()}
    state = State(log)
    for name, each in sockets.items():
        web = f"http://127.0.0.1:{ports['web']}/web/"
        server = Server(("127.0.0.1", 0), handler(name, state, web), bind_and_activate=False)
        server.socket.close()
        server.socket = each
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps(ports), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
