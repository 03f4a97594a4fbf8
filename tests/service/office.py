"""A running app and its clients, without a browser."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from newsdesk.campaigns import Target, Task, protocol
from newsdesk.service.desk import Desk
from newsdesk.service.people import Scope
from tests.campaigns.worlds import numbers_of

HTML = {"accept": "text/html"}
_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')

TASKS = {
    "grade": [
        Task(
            f"c{n}", f"a{n // 2}", (Target(f"c{n}", f"Comment number {n}."),),
            (("title", f"Article {n // 2}"), ("url", "https://example.org/a")), f"Text of article {n // 2}.",
        )
        for n in range(6)
    ],
    "constructive": [
        Task(
            f"b{n}", f"a{n}", tuple(Target(f"c{n}-{m}", f"Comment {m} of bundle {n}.") for m in range(5)),
            (("title", f"Article {n}"),), f"Text of article {n}.",
        )
        for n in range(4)
    ],
    "rank": [
        Task(
            f"e{n}", f"e{n}", tuple(Target(f"system-{m}", f"Summary {m % 3} of event {n}.") for m in range(4)),
            (("reference", f"What happened in event {n}."),),
        )
        for n in range(3)
    ],
    "relate": [
        Task(f"k{n}|x{n}", f"k{n}", (Target(f"x{n}", f"Title {n}\nFirst sentence."),), (("event", f"Event {n}."),))
        for n in range(5)
    ],
}  # fmt: skip
_ALONE = [
    Task(f"e{n}|s{m}", f"e{n}", (Target(f"s{m}", f"Summary {m} of event {n}. It </s>ended."),), (("reference", f"Event {n}."),))
    for n in range(3) for m in range(2)
]  # fmt: skip
TASKS |= dict.fromkeys(("da", "likert", "multi-label", "spans"), _ALONE)
TASKS["best-worst"] = TASKS["rank"]
TASKS["pairwise"] = [
    Task(f"e{n}|a|b", f"e{n}", tuple(Target(s, f"Summary {s} of event {n}.") for s in "ab"))
    for n in range(4)
]


@dataclass
class Office:
    """An app that runs, and ways to become somebody."""

    app: FastAPI
    client: TestClient  # a stranger's

    @classmethod
    @contextlib.contextmanager
    def opened(cls, app: FastAPI) -> Iterator[Office]:
        with TestClient(app, follow_redirects=False) as client:
            yield cls(app, client)

    @property
    def desk(self) -> Desk:
        desk: Desk = self.app.state.desk
        return desk

    def stranger(self) -> TestClient:
        client = TestClient(self.app, follow_redirects=False, raise_server_exceptions=False)
        client.portal = self.client.portal  # one event loop for all, as in a server
        return client

    def numbers(self, campaign: str, annotator: str) -> dict[str, int]:
        """The numbers under which an annotator is shown the tasks, by their ids, in the order of the ids."""
        return dict(sorted(numbers_of(self.desk.store, campaign, annotator).items()))

    def admin(self) -> TestClient:
        client = self.stranger()
        token = self.desk.access.admin_link().token
        assert client.post("/sign-in", data={"token": token}).status_code == 303
        return client

    def annotator(self, campaign: str, name: str) -> TestClient:
        client = self.stranger()
        token = self.desk.access.invite(campaign, name).token
        assert client.post(f"/join/{token}").status_code == 303
        return client

    def program(self, *scopes: Scope, **limits: Any) -> TestClient:
        client = self.stranger()
        key = self.desk.access.add_key("a program", scopes, **limits).token
        client.headers["authorization"] = f"Bearer {key}"
        return client

    def campaign(
        self,
        name: str,
        form: str,
        annotators: Iterable[str] | None = ("ann", "ben"),
        *,
        per_item: int = 2,
        tasks: list[Task] | None = None,
    ) -> None:
        people = None if annotators is None else list(annotators)
        self.desk.store.create(
            name, protocol(form), tasks or TASKS[form], people, per_item=per_item, seed=0
        )


def csrf(client: TestClient, path: str = "/") -> str:
    """The CSRF token of a signed-in client, from a page."""
    text = client.get(path, headers=HTML, follow_redirects=True).text
    found = _CSRF.search(text)
    assert found, text
    return found[1]


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What calls return that begin in the same moment."""
    gate = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(place: int) -> None:
        gate.wait()
        results[place] = calls[place]()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
