"""A served app, campaigns of the sample newsroom in it, and checks that every page must pass."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from fastapi import FastAPI
from playwright.sync_api import Browser, Page

from newsdesk import samples
from newsdesk.campaigns import protocol
from newsdesk.campaigns.tasks import (
    Task,
    constructive_tasks,
    grade_comment_tasks,
    rank_tasks,
    relate_tasks,
)
from newsdesk.service.desk import Desk
from newsdesk.types import Reference, References

DESKTOP, PHONE = (1280, 800), (360, 740)
TASKS_EACH = 3


def sample_tasks(form: str) -> list[Task]:
    """A few tasks of the sample newsroom."""
    if form == "rank":
        references = [References(e.id, (Reference(e.summary),)) for e in samples.events()]
        return rank_tasks(samples.outputs(), references)[:TASKS_EACH]
    if form == "relate":
        return relate_tasks(samples.clusters(), sample=None, seed=0)[:TASKS_EACH]
    threads = samples.threads("en")
    if form == "grade":
        return grade_comment_tasks(threads)[:TASKS_EACH]
    return constructive_tasks(threads, bundle=5, seed=0)[:TASKS_EACH]


@dataclass(frozen=True)
class Served:
    """A running server and the browser of the tests."""

    url: str
    app: FastAPI
    browser: Browser

    @property
    def desk(self) -> Desk:
        desk: Desk = self.app.state.desk
        return desk

    def campaign(self, name: str, form: str) -> None:
        self.desk.store.create(
            name, protocol(form), sample_tasks(form), ["ann", "ben"], per_item=2, seed=0
        )

    @contextlib.contextmanager
    def page(
        self, size: tuple[int, int] = DESKTOP, *, script: bool = True, dark: bool = False
    ) -> Iterator[Page]:
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            java_script_enabled=script,
            base_url=self.url,
            color_scheme="dark" if dark else "light",
        )
        context.set_default_timeout(20_000)
        problems: list[str] = []
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda said: (
                problems.append(said.text)
                if said.type == "error" and "status of 4" not in said.text
                else None
            ),
        )
        yield page
        context.close()
        assert not problems, problems  # no script fails, and nothing breaks the content policy

    def join(self, page: Page, campaign: str, annotator: str = "ann") -> None:
        """Follow an invitation link to the first task, with the keyboard: the button has the focus."""
        page.goto(f"/join/{self.desk.access.invite(campaign, annotator).token}")
        page.locator("button.main").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/annotate/**")
        page.locator("a.button.main").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks/**")

    def sign_in(self, page: Page) -> None:
        page.goto(f"/sign-in?token={self.desk.access.admin_link().token}")
        page.click("button.main")
        page.wait_for_url(f"{self.url}/")

    def values(self, campaign: str) -> list[Any]:
        return [each.value for each in self.desk.store.judgments(campaign)]

    def done(self, campaign: str, annotator: str = "ann") -> int:
        status = self.desk.store.status(campaign)
        return next(each.done for each in status.annotators if each.name == annotator)


def check(page: Page, shot: Path) -> None:
    """Nothing overflows sideways, and axe finds nothing serious; a picture is taken for people to look at."""
    page.screenshot(path=shot, full_page=True)
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width, shot.name
    violations = Axe().run(page).response["violations"]
    serious = [
        (each["id"], each["nodes"][0]["html"][:200])
        for each in violations
        if each["impact"] in ("serious", "critical")
    ]
    assert not serious, (shot.name, serious)
