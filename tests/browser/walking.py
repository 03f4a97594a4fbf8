"""A walk through every page of a served folder: by role, width, colours and with or without scripts, each page judged.

`Walk.begin` lays a world out in the folder (staff, campaigns of every protocol, comments to moderate) and finds where each route of the table leads in it; `visit` goes there.
A page fails by an error in the console, by being wider than the window, by what axe calls serious or critical, or by having nothing on it.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, FilePayload, Page

from newsdesk.campaigns import protocol
from newsdesk.service.desk import Desk
from newsdesk.service.people import STAFF
from newsdesk.service.sessions import COOKIE
from newsdesk.types import Value
from tests.browser.desk import Served, sample_tasks
from tests.service.route_table import PEOPLE, TABLE
from tests.service.test_comments import ROWS

PROTOCOLS = ("grade", "constructive", "rank", "relate")
DEFAULT = (
    "rank"  # of the annotator who goes everywhere; those of the other protocols see their own tasks
)
ROLES = (*PEOPLE, *(f"annotator {form}" for form in PROTOCOLS if form != DEFAULT))
WIDTHS = (360, 768, 1400)

# Answers that are no page: files to keep, numbers for programs.
FILES = {
    "/health", "/ready", "/metrics", "/static/{name}", "/openapi.json", "/files/{file_id}/download", "/campaigns/{campaign}/sheet", "/campaigns/{campaign}/sheets.zip",
    "/campaigns/{campaign}/exports/{file}", "/comments/{file_id}/{article}/export/{form}", "/$discovery/rest",
}  # fmt: skip

_HEIGHT = {360: 740, 768: 1024, 1400: 900}
_PATIENCE_S = 180  # for a page, however busy the machine is
_REFUSED = 3  # that every other route is refused, is a test of its own
_LEAST_TEXT = 30  # characters of a page that is filled
# What a template, a report or a script leaves behind where a value is missing.
_UNFILLED = re.compile(r"\b(None|undefined|NaN|null)\b|\{\{|\{%")
_REPORTS = ("/report", "/report.html")  # too large for axe, and judged by tests of their own
_RULES = {"resultTypes": ["violations"]}


@dataclass(frozen=True)
class Look:
    """How a page is looked at."""

    width: int
    dark: bool = False
    script: bool = True

    @property
    def label(self) -> str:
        """The look as part of a file name."""
        return f"{self.width}-{'dark' if self.dark else 'light'}{'' if self.script else '-plain'}"


ALL_LOOKS = [Look(*each) for each in product(WIDTHS, (False, True), (True, False))]


@dataclass
class Walk:
    """A served folder with a session for every role, and what was wrong on the pages that were visited."""

    served: Served
    cookies: dict[str, str]
    values: dict[str, list[str]]  # route → addresses
    shots: Path | None
    problems: list[str] = field(default_factory=list)
    visited: int = 0

    @classmethod
    def begin(cls, served: Served, shots: Path | None) -> Walk:
        """Lay a world out in the folder of a server, and wait until its files are ranked and indexed."""
        desk = served.desk
        for form in PROTOCOLS:
            desk.store.create(
                _named(form), protocol(form), sample_tasks(form), ["ann", "ben"], per_item=2, seed=0
            )
        _answer(desk)
        cookies = _sessions(desk)
        with served.page() as page:
            page.context.add_cookies([_cookie(served, cookies["admin"])])
            page.set_default_timeout(_PATIENCE_S * 1000)
            values = addresses_in(served, page)
        return cls(served, cookies, values, shots)

    def walk(self, role: str, looks: Sequence[Look]) -> None:
        """Visit every page as somebody of a role; of those that are refused, which look the same, some in the first look."""
        entries = list(self.entries(role))
        refused = [entry for entry in entries if not entry[2]][:_REFUSED]
        for look in looks:
            with self.context(role, look) as context:
                for entry in entries:
                    if entry[2] or (look == looks[0] and entry in refused):
                        self.visit(context, role, look, entry)

    def entries(self, role: str) -> Iterator[tuple[str, str, bool]]:
        """Yield every page of the table: its route, where it is, and whether the role may see it."""
        who, _, form = role.partition(" ")
        for route, paths in self.values.items():
            for path in paths:
                own = (
                    f"/{_named(form)}" in path
                    if form
                    else _named("") not in path.replace(_named(DEFAULT), "")
                )
                if (not route.startswith("/annotate/") and not form) or (
                    route.startswith("/annotate/") and own
                ):
                    yield route, path, who in TABLE["GET", route]

    @contextlib.contextmanager
    def context(self, role: str, look: Look) -> Iterator[BrowserContext]:
        """Open a browser context as somebody of a role."""
        context = self.served.browser.new_context(
            viewport={"width": look.width, "height": _HEIGHT[look.width]},
            base_url=self.served.url,
            color_scheme="dark" if look.dark else "light",
        )
        if not look.script:  # no script arrives, and axe can still run
            context.route(
                "**/*.js*", lambda route: route.fulfill(body="", content_type="text/javascript")
            )
        context.set_default_timeout(_PATIENCE_S * 1000)
        if role in self.cookies:
            context.add_cookies([_cookie(self.served, self.cookies[role])])
        yield context
        context.close()

    def visit(
        self, context: BrowserContext, role: str, look: Look, entry: tuple[str, str, bool]
    ) -> None:
        """Go to a page, note what is wrong with it, and take its picture."""
        _, path, allowed = entry
        with self.watched(context, f"{role} {look.label} {path}") as page:
            answer = page.goto(path, wait_until="load")
            expected = (allowed and not path.endswith("/nothing")) or "/sign-in" in page.url
            if answer is None or (answer.status < 400) != expected:
                self.problems.append(f"{role} {path}: answered {answer and answer.status}")
            self.judge(page, role, look, path)

    @contextlib.contextmanager
    def watched(self, context: BrowserContext, where: str) -> Iterator[Page]:
        """Open a page whose console and requests are watched."""
        said: list[str] = []
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: said.append(line.text) if _is_error(line) else None)
        page.on("request", lambda asked: said.append(f"asks {asked.url}") if not asked.url.startswith((self.served.url, "data:", "blob:")) else None)  # fmt: skip
        yield page
        self.problems += [f"{where}: {line}" for line in said]
        page.close()

    def judge(self, page: Page, role: str, look: Look, name: str) -> None:
        """Note what is wrong with the page as it is now, and take its picture."""
        faults = [*_shape(page), *_filled(page)]
        if not name.endswith(_REPORTS):
            faults += _accessible(page)
        self.problems += [f"{role} {look.label} {name}: {fault}" for fault in faults]
        self.visited += 1
        if self.shots is not None:
            plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:80] or "front"
            page.screenshot(path=self.shots / f"{plain}--{role}--{look.label}.png", full_page=True)


def _is_error(line: ConsoleMessage) -> bool:
    """Whether a line of the console is an error; the status of a refused page is none."""
    return line.type == "error" and "status of 4" not in line.text


def _shape(page: Page) -> Iterator[str]:
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    if width > shown:
        yield f"is {width} px wide in a window of {shown}"


def _filled(page: Page) -> Iterator[str]:
    """Say what is missing: words, a heading, a title, or a value in a sentence."""
    text, headings, title = page.evaluate(
        "[(document.querySelector('main') ?? document.body).innerText, document.querySelectorAll('h1').length, document.title]"
    )
    if len(text) < _LEAST_TEXT:
        yield f"has {len(text)} characters"
    if not headings or not title:
        yield "has no heading or no title"
    if left := _UNFILLED.search(text):
        yield f"shows {left[0]!r}"


def _accessible(page: Page) -> Iterator[str]:
    """Yield what axe finds serious or critical."""
    for each in Axe().run(page, options=_RULES).response["violations"]:
        if each["impact"] in ("serious", "critical"):
            yield f"{each['id']}: {each['nodes'][0]['html'][:160]}"


def _named(form: str) -> str:
    return f"walk-{form}"


def _answer(desk: Desk) -> None:
    """Give some answers, so that pages of progress, agreement and items have something to show."""
    for form in PROTOCOLS:
        name = _named(form)
        questions = desk.store.campaign(name).protocol.questions
        for number, who in enumerate(("ann", "ben")):
            for task in list(desk.store.tasks(name))[: 2 - number]:
                values = {
                    (target.id, question.name): _value(form, place + number)
                    for place, target in enumerate(task.targets)
                    for question in questions
                }
                desk.store.answer(name, who, task.id, values, at=desk.now(), seconds=20)


def _value(form: str, place: int) -> Value:
    if form == "relate":
        return ("on-topic", "related")[place % 2]
    return place % 2 == 0 if form == "constructive" else 1 + place % 4


def _sessions(desk: Desk) -> dict[str, str]:
    """Return a cookie of each role; the lead has all campaigns of the folder."""
    cookies: dict[str, str] = {}
    for role in STAFF:
        person = desk.access.sign_in(desk.access.staff_link(f"walking {role}", role).token)
        assert person is not None
        if role == "lead":
            desk.access.lead_exactly(person.id, [each.name for each in desk.store.campaigns()])
        cookies[role] = desk.access.cookie(person)
    for form in PROTOCOLS:
        label = "annotator" if form == DEFAULT else f"annotator {form}"
        cookies[label] = desk.access.cookie(desk.access.add_annotator(_named(form), "ann"))
    return cookies


def _cookie(served: Served, value: str) -> Any:
    return {"name": COOKIE, "value": value, "url": served.url}


def addresses_in(served: Served, page: Page) -> dict[str, list[str]]:
    """Return where each route leads in the folder; what is computed from its files is done afterwards."""
    desk = served.desk
    brought = _brought(served, page)
    values = {
        "/sign-in": ["/sign-in"],
        "/join/{token}": [f"/join/{desk.access.invite(_named('grade'), 'ben').token}", "/join/nothing"],
        "/": ["/"],
        "/access": ["/access"],
        "/files": ["/files"],
        "/files/{file_id}": [f"/files/{brought}"],
        "/score": ["/score"],
        "/studies": ["/studies"],
        "/studies/reports/{path:path}": ["/studies/reports/report.html"],
        "/studies/{number}": [],
    }  # fmt: skip
    values |= _of_campaigns(desk) | _of_comments(served, page, brought) | _of_events(served, page)
    return values


def _of_campaigns(desk: Desk) -> dict[str, list[str]]:
    own = [f"/campaigns/{_named(form)}" for form in PROTOCOLS]
    finished = [f"/campaigns/{name}" for name in ("grades", "ranks")]
    tasks = []
    for form in PROTOCOLS:
        places = desk.store.places(_named(form), "ann")
        some = {place.state: place.number for place in places}  # one that is done, one that is not
        tasks += [f"/annotate/{_named(form)}/tasks/{number}" for number in some.values()]
    return {
        "/campaigns": ["/campaigns"],
        "/campaigns/new": ["/campaigns/new"],
        "/campaigns/{campaign}": [own[2], finished[0]],
        "/campaigns/{campaign}/items": [f"{finished[1]}/items", f"{own[0]}/items?only=open"],
        "/campaigns/{campaign}/items/{number}": [f"{path}/items/0" for path in (*own, finished[1])],
        "/campaigns/{campaign}/audit": [f"{path}/audit" for path in (own[0], *finished)],
        "/campaigns/{campaign}/report": [f"{finished[1]}/report"],
        "/annotate/{campaign}": [f"/annotate/{_named(form)}" for form in PROTOCOLS],
        "/annotate/{campaign}/continue": [f"/annotate/{_named(form)}/continue" for form in PROTOCOLS],
        "/annotate/{campaign}/tasks/{number}": tasks,
    }  # fmt: skip


def _brought(served: Served, page: Page) -> str:
    """Bring a file of comments and return its id, once its threads are ranked."""
    page.goto("/")
    content = FilePayload(name="harbour.csv", mimeType="text/csv", buffer=ROWS.encode())
    page.set_input_files("#file", files=[content])
    page.click("form[data-drop] button")
    page.wait_for_url("**/comments/**")
    return page.url.removeprefix(f"{served.url}/comments/").partition("/")[0].partition("?")[0]


def _of_comments(served: Served, page: Page, brought: str) -> dict[str, list[str]]:
    """Moderate a little, and return the pages of threads: of the file that was brought, and of the sample's three languages."""
    desk = served.desk
    files = {file.name: file.id for file in desk.library.all("comments")}
    english = files["threads-en.jsonl"]
    threads = []
    for name in ("threads-en.jsonl", "threads-zh.jsonl", "threads-ja.jsonl"):
        settled(page, f"/comments/{files[name]}")
        paths = page.eval_on_selector_all("main a[href^='/comments/']", "all => all.map(each => each.getAttribute('href'))")  # fmt: skip
        threads.append(next(path for path in paths if path.count("/") == 3))
    settled(page, f"/comments/{brought}/a1")
    page.locator("button:has-text('Pin')").last.click()
    page.locator("button:has-text('Hide')").first.click()
    page.goto(f"/comments/{brought}/a1")
    page.locator("button:has-text('Constructive')").first.click()
    desk.moderation.act("embed", "walking admin", brought)
    own = f"/comments/{brought}/a1"
    return {
        "/comments": ["/comments"],
        "/comments/{file_id}": [f"/comments/{brought}", f"/comments/{english}"],
        "/comments/{file_id}/{article}": [*threads, own, f"{own}?show=held", f"{own}?show=hidden"],
        "/embed/{file_id}/{article}": [f"/embed/{brought}/a1"],
        "/votes/{file_id}": [f"/votes/{brought}", f"/votes/{english}"],
    }


def _of_events(served: Served, page: Page) -> dict[str, list[str]]:
    """Return the pages of events: by day, by category, found, one with summaries side by side, and a story."""
    files = {file.name: file.id for file in served.desk.library.all()}
    clusters, events = (f"/events/{files[name]}" for name in ("clusters.jsonl", "events.jsonl"))
    for path in (events, clusters):
        settled(page, path)
    links = page.eval_on_selector_all("main a[href^='/events/']", "all => all.map(each => each.getAttribute('href'))")  # fmt: skip
    story = next(path for path in links if "/stories/" in path)
    event = next(path for path in links if path.count("/") == 3)
    return {
        "/events": ["/events"],
        "/events/{file_id}": [clusters, events, f"{clusters}?q=bridge", f"{clusters}?q=nothing+at+all"],
        "/events/{file_id}/{event}": [event, f"{event}?method=lead&beside=centroid&beside=textrank"],
        "/events/{file_id}/stories/{story}": [story, f"{story}?since=2031-03-04"],
    }  # fmt: skip


def settled(page: Page, path: str) -> None:
    """Go to a page once what it waits for is done."""
    with contextlib.suppress(Error):  # a page that waits reloads itself meanwhile
        page.goto("about:blank")
    until = time.monotonic() + _PATIENCE_S
    while 'http-equiv="refresh"' in page.request.get(path).text():
        assert time.monotonic() < until, f"{path} was not done"
        time.sleep(0.5)
    page.goto(path)
