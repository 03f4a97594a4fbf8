"""The newsroom's pages on loopback: first bytes of large pages, files dropped and ranked, memory over many requests, kills of the server while moderators work.

- first: the front page of 10,000 events and a thread of 2,000 comments begin to arrive within 200 ms.
- dropped: a file of 4,000 comments ends on a ranked page within 10 s, with progress; while one of 30,000 is ranked, with progress, others are answered within 100 ms.
- flat: over 10,000 mixed requests the memory of the server stays within 5 %, from the second quarter to the last.
- moderation: 20 kills during pins, hides and uploads, and a backup in between that is restored elsewhere: nothing acknowledged is lost, no file is there in part.

`python -m bench.newsroom first` names one. Bars of time count on a quiet machine; the load and what a server costs that only echoes stand beside them.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import httpx2 as httpx

from bench._load import bare_answers, held, milliseconds, percentile
from newsdesk import records, samples
from newsdesk.files import make_folder
from newsdesk.service.desk import Desk
from newsdesk.service.settings import ServiceSettings
from newsdesk.types import Comment, Thread
from tests.service.office import HTML
from tests.service.serving import serving
from tests.service.test_comments import dropped, ended
from tests.service.test_moderation_kills import survive

EVENTS = 10_000
COMMENTS = 2_000
FIRST_S = 0.2
ASKED = 60
SMALL, SMALL_S = 4_000, 10.0
LARGE = 30_000
OTHERS_S = 0.1
REQUESTS = 10_000
ADMINS = 10  # who take turns: a person may send 1,200 requests a minute
MOST_GROWTH = 0.05
KILLS = 20


def texts(seed: int) -> Iterator[str]:
    """Yield comments without end: two to five sentences of the sample's comments each."""
    rng = random.Random(seed)
    sentences = [
        sentence
        for thread in samples.threads("en")
        for comment in thread.comments
        for sentence in re.split(r"(?<=[.!?])\s+", comment.text)
        if len(sentence) > 20
    ]
    while True:
        yield " ".join(rng.sample(sentences, rng.randint(2, 5)))


def write_newsroom(data: Path) -> None:
    """Write a file of 10,000 events over a thousand days, and one with a thread of 2,000 comments."""
    folder = make_folder(data / "newsroom")
    events, first = samples.events(), date(2028, 1, 1)
    records.write(
        folder / "events.jsonl",
        (
            replace(event, id=f"e{number}", date=str(first + timedelta(days=number // 10)))
            for number in range(EVENTS)
            for event in [events[number % len(events)]]
        ),
    )
    said = texts(1)
    comments = tuple(
        Comment(f"c{number}", next(said), likes=number % 40, at=f"2031-03-{1 + number % 28:02}T10:00:00Z")
        for number in range(COMMENTS)
    )  # fmt: skip
    small, other = samples.threads("en")[:2]
    records.write(folder / "threads.jsonl", [Thread(small.article, comments), other])


@contextmanager
def newsroom() -> Iterator[tuple[list[httpx.Client], int]]:
    """Admins at a server over a new data folder, and the number of its process."""
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "data"
        write_newsroom(data)
        desk = Desk.open(ServiceSettings(data))
        tokens = [desk.access.admin_link(f"admin {number}").token for number in range(ADMINS)]
        desk.close()
        with serving(data, Path(name) / "log") as server, ExitStack() as stack:
            clients = [
                stack.enter_context(
                    httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=120)
                )
                for _ in tokens
            ]
            for client, token in zip(clients, tokens, strict=True):
                assert client.post("/sign-in", data={"token": token}).status_code == 303
            yield clients, server.process.pid


def _pages(client: httpx.Client) -> dict[str, str]:
    """Return the addresses of the front page of events, an event, the threads and the thread, once they are ready."""
    pages = {}
    for name, path in (("events", "/events"), ("threads", "/comments")):
        pages[name], text = ended(client, path, most_s=300)  # type: ignore[arg-type]
        pattern = r'href="(/events/[^/"]+/[^/"?]+)"' if name == "events" else r'href="(/comments/[^/"]+/[^/"?]+)"'  # fmt: skip
        pages[name.removesuffix("s")] = re.findall(pattern, text)[0]
    return pages


def first_byte(client: httpx.Client, path: str) -> float:
    """Return the seconds from a request to the first byte of its answer."""
    began = time.perf_counter()
    with client.stream("GET", path, headers=HTML) as answer:
        seconds = time.perf_counter() - began
        assert answer.status_code == 200, (path, answer.status_code)
        answer.read()
    return seconds


def first() -> int:
    """Measure first bytes; return the number of pages that are too slow."""
    slow = 0
    with newsroom() as ([client, *_], _), bare_answers() as bare:
        pages = _pages(client)
        asked = {
            f"front page of {EVENTS:,} events": pages["events"],
            "a search in them": f"{pages['events']}?q=harbour",
            f"thread of {COMMENTS:,} comments": pages["thread"],
            "the same by other sliders": f"{pages['thread']}?length=30&diversity=50",
        }
        for name, path in asked.items():
            seconds = [first_byte(client, path) for _ in range(ASKED)]
            slow += percentile(seconds, 0.5) > FIRST_S
            print(f"{name}: first byte {milliseconds(seconds)} (limit {FIRST_S * 1000:.0f} ms)")
        print(f"a server that only echoes {milliseconds(bare)}; load {os.getloadavg()[0]:.1f}")
    return slow


def _file(rows: int) -> bytes:
    said = texts(rows)
    lines = [f'a{number * 100 // rows},"{next(said).replace(chr(34), chr(39))}",{number % 50}\n' for number in range(rows)]  # fmt: skip
    return ("article,comment,likes\n" + "".join(lines)).encode()


def drop(client: httpx.Client, rows: int) -> tuple[float, int, list[float]]:
    """Drop a file and wait for its page: the seconds, how many shares were shown, and the seconds of other requests meanwhile."""
    content = _file(rows)
    waits: list[float] = []
    over = threading.Event()

    def ask() -> None:
        with httpx.Client(base_url=client.base_url, cookies=client.cookies, timeout=60) as other:
            while not over.wait(0.05):
                waits.append(first_byte(other, "/files"))

    others = threading.Thread(target=ask)
    began, shares = time.perf_counter(), set()
    others.start()
    try:
        path = dropped(client, content, f"{rows}.csv")  # type: ignore[arg-type]
        while 'http-equiv="refresh"' in (text := client.get(path, headers=HTML).text):
            shares.update(re.findall(r"(\d+) %", text))
            time.sleep(0.1)
        seconds = time.perf_counter() - began
    finally:
        over.set()
        others.join()
    assert f"{rows:,} comments of 100 articles" in text
    return seconds, len(shares), waits


def drops() -> int:
    """Drop a small and a large file; return the number of bars that were missed."""
    missed = 0
    with newsroom() as ([client, *_], _), bare_answers() as bare:
        for rows in (SMALL, LARGE):
            seconds, shares, waits = drop(client, rows)
            late = percentile(waits, 0.99) > OTHERS_S
            missed += late + (shares < 2) + (rows == SMALL and seconds > SMALL_S)
            print(
                f"{rows:,} comments: ranked page after {seconds:.1f} s, {shares} different shares shown; others meanwhile {milliseconds(waits)} of {len(waits)} requests "
                f"(limit {OTHERS_S * 1000:.0f} ms)",
                flush=True,
            )
        print(f"a server that only echoes {milliseconds(bare)}; load {os.getloadavg()[0]:.1f}")
    return missed


def flat(requests: int = REQUESTS) -> int:
    """Send mixed requests; return 1 if the memory of the server does not stay."""
    rng = random.Random(0)
    with newsroom() as (clients, process):
        pages = _pages(clients[0])
        paths = [
            "/", "/files", "/campaigns", "/studies", "/score", "/access", "/static/app.css", "/nothing", "/api/v1/campaigns", "/health",
            pages["events"], f"{pages['events']}?q=ferry", pages["event"], f"{pages['event']}?words=60", pages["threads"], pages["thread"],
            f"{pages['thread']}/export/csv",
        ]  # fmt: skip
        memory, began = [], time.perf_counter()
        for number in range(requests):
            path = rng.choice(paths)
            if path == pages["thread"]:
                path += f"?length={rng.randrange(100)}&diversity={rng.randrange(100)}"
            status = clients[number % ADMINS].get(path, headers=HTML).status_code
            assert status in (200, 303, 404), (path, status)
            if number % 50 == 0:
                memory.append(held(process)[0])
    quarter = len(memory) // 4
    early, last = (percentile(part, 0.5) for part in (memory[quarter : 2 * quarter], memory[-quarter:]))  # fmt: skip
    growth = last / early - 1
    print(
        f"{requests:,} mixed requests in {time.perf_counter() - began:.0f} s: memory {early / 2**20:.1f} MiB in the second quarter, {last / 2**20:.1f} MiB in the last "
        f"({growth:+.1%}, limit ±{MOST_GROWTH:.0%})"
    )
    return int(abs(growth) > MOST_GROWTH)


def moderation(kills: int = KILLS) -> int:
    """Kill the server during moderation and uploads; an error of the check ends the bench."""
    with tempfile.TemporaryDirectory() as name:
        survived = survive(Path(name), kills)
    print(
        f"killed {kills} times: {survived.acts} pins, hides and votes and {survived.files} files acknowledged, none lost or in part; {survived.restored} backups under load restored elsewhere with all of before"
    )
    return 0


LOADS: dict[str, Callable[..., int]] = {
    "first": first,
    "dropped": drops,
    "flat": flat,
    "moderation": moderation,
}


def main(*names: str) -> int:
    """Run every load, or those named; returns the number of bars missed."""
    return sum(LOADS[name]() for name in names or LOADS)


if __name__ == "__main__":
    named = sys.argv[1:2]
    sys.exit(LOADS[named[0]](*map(int, sys.argv[2:])) if named else main())
