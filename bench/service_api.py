"""The HTTP API on the loopback: rankings of 1,000 comments against the ranker's own time, pages of 300 by the contract of the Prosocial Ranking Challenge, scores per second, and made-up requests to every route.

Floors: a ranking takes at most 1.2 times the ranker's own time in the same run; 99 of 100 pages of the challenge are ordered within 500 ms; at least 200 short items are scored per second and stream of requests; no made-up request is answered with a 500 or as the
document does not say.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np

from newsdesk import samples
from newsdesk.rankers.ranked import Ranking
from newsdesk.rankers.ready import Models
from newsdesk.records.schema import schema_of
from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from newsdesk.streams import stream
from newsdesk.types import Article, Comment, Thread
from tests.service.api.test_garbage import ROUTES, make_up_requests
from tests.service.office import Office
from tests.service.serving import running

COMMENTS = 1_000
ROUNDS = 7
MOST_RATIO = 1.2
PAGE_COMMENTS = 300
PAGES = 100
MOST_PAGE_S = 0.5
LEAST_ITEMS_S = 200
STREAM_S = 5.0
BATCH = 100
EXAMPLES = 60


def poster(port: int, key: str) -> Callable[[str, bytes], Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def post(path: str, body: bytes) -> Any:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {content[:300]!r}")
        return json.loads(content)

    return post


def long_thread(count: int = COMMENTS, seed: int = 0) -> Thread:
    """Comments of 5 to 80 words, drawn from those of the sample newsroom."""
    rng = stream("bench: comments", seed)
    words = [
        word
        for each in samples.threads("en")
        for comment in each.comments
        for word in comment.text.split()
    ]
    texts = (" ".join(rng.choice(words, rng.integers(5, 80))) for _ in range(count))
    comments = tuple(Comment(f"c{number}", text) for number, text in enumerate(texts))
    return Thread(Article("a", "", lang="en"), comments)


def seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def rankings(post: Callable[[str, bytes], Any]) -> None:
    thread = long_thread()
    body = json.dumps({"threads": [schema_of(Thread).encode(thread)]}).encode()
    ranking = Ranking(Models("ready"), explained=False)

    def own() -> list[Any]:
        return list(ranking.of([thread]))

    def api() -> Any:
        return post("/api/v1/rank", body)

    own()
    api()  # the worker starts and loads the model once
    pairs = [(seconds(own), seconds(api)) for _ in range(ROUNDS)]
    mine, theirs = (min(each) for each in zip(*pairs, strict=True))
    ratio = theirs / mine
    print(
        f"rank {COMMENTS} comments: {theirs:.3f} s over HTTP, {mine:.3f} s itself, ratio {ratio:.3f}"
    )
    if ratio > MOST_RATIO:
        raise SystemExit(f"the ranking API takes {ratio:.2f} times the ranker's own time")


def pages(post: Callable[[str, bytes], Any]) -> None:
    """Time of a page of the challenge, each with other comments, one after the other."""
    times = []
    for page in range(PAGES + 1):
        comments = long_thread(PAGE_COMMENTS, page).comments
        items = [{"id": one.id, "type": "comment", "text": one.text} for one in comments]
        body = json.dumps({"items": items}).encode()
        times.append(seconds(lambda: post("/api/v1/ranking-challenge/rank", body)))  # noqa: B023
    median, late = np.percentile(times[1:], (50, 99))  # the first waits for the worker's start
    print(
        f"order {PAGE_COMMENTS} comments: p50 {median:.3f} s, p99 {late:.3f} s of {PAGES} pages; "
        f"load of the machine {os.getloadavg()[0]:.1f}"
    )
    if late > MOST_PAGE_S:
        raise SystemExit(f"a page of the challenge takes {late:.3f} s at p99")


def scores(post: Callable[[str, bytes], Any], batch: int) -> float:
    """Items per second of one stream of requests with five metrics."""
    rows = range(batch)
    body = json.dumps(
        {
            "outputs": [{"id": str(n), "system": "s", "text": f"the dam {n} was opened on monday"} for n in rows],
            "references": [{"id": str(n), "references": [f"on monday dam {n} was opened"]} for n in rows],
        }
    ).encode()  # fmt: skip
    post("/api/v1/score", body)
    count, started = 0, time.perf_counter()
    while time.perf_counter() - started < STREAM_S:
        post("/api/v1/score", body)
        count += batch
    rate = count / (time.perf_counter() - started)
    print(f"score, {batch} items a request, five metrics: {rate:,.0f} items/s")
    return rate


def garbage(folder: Path) -> None:
    settings = ServiceSettings(
        folder / "fuzzed", requests_per_minute=10**9, sign_ins_per_minute=10**9
    )
    with Office.opened(create_app(settings)) as office:
        client = office.program("admin")
        for method, path in ROUTES:
            make_up_requests(office, client, method, path, EXAMPLES)
    print(
        f"{EXAMPLES} made-up requests to each of {len(ROUTES)} routes: all answered as documented"
    )


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(ServiceSettings(folder / "data", requests_per_minute=10**9)) as (port, app):
            post = poster(port, app.state.desk.access.add_key("bench", ["read"]).token)
            rankings(post)
            pages(post)
            rate = scores(post, BATCH)
            scores(post, 1)
        if rate < LEAST_ITEMS_S:
            raise SystemExit(f"the scoring API scores {rate:.0f} items/s")
        garbage(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
