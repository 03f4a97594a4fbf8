"""Make the pictures of the web app in README and docs: `python -m bench._pictures` serves the demo and writes docs/images/{front,thread,event,task}.png.

Front page, ranked thread and event are what an admin of the demo sees, the task is one of a voter in its unfinished campaign.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from newsdesk.demo import ensure_demo
from newsdesk.demo.campaigns import MODERATED, TRIAL
from newsdesk.service.desk import Desk, slug
from newsdesk.service.sessions import COOKIE
from newsdesk.service.settings import ServiceSettings
from tests.browser.chromium import CHROMIUM, FLAGS
from tests.browser.walking import settled
from tests.service.serving import running

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
_SIZE: Any = {"width": 1200, "height": 900}
_ANNOTATOR = "reader one"


def main(images: Path = IMAGES) -> int:
    if CHROMIUM is None:
        print("Chromium is not installed: no picture was made")
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        ensure_demo(Path(folder, "demo"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with running(ServiceSettings(Path(folder, "demo"))) as (port, app):
            desk: Desk = app.state.desk
            admin = _page(browser, port, _admin_cookie(desk))
            files = {file.name: file.id for file in desk.library.all()}
            comments, article = MODERATED
            thread = f"/comments/{files[comments]}/{slug(article)}"
            events = f"/events/{files['clusters.jsonl']}"
            for path in (events, thread):
                settled(admin, path)
            _take(admin, thread, images / "thread.png")
            _take(admin, "/", images / "front.png")
            event = str(admin.get_attribute(".leading h3 a", "href"))
            _take(admin, f"{event}?beside=lead&beside=centroid", images / "event.png")
            voter = _page(browser, port, _voter_cookie(desk))
            _take(voter, f"/annotate/{TRIAL}/continue", images / "task.png")
        browser.close()
    return 0


def _admin_cookie(desk: Desk) -> str:
    person = desk.access.sign_in(desk.access.admin_link("the editor").token)
    assert person is not None
    return desk.access.cookie(person)


def _voter_cookie(desk: Desk) -> str:
    desk.store.join(TRIAL, _ANNOTATOR, invited=True)
    return desk.access.cookie(desk.access.add_annotator(TRIAL, _ANNOTATOR))


def _page(browser: Browser, port: int, cookie: str) -> Page:
    """Open a page with a session; its address names no port."""
    url = f"http://127.0.0.1:{port}"
    context = browser.new_context(base_url=url, viewport=_SIZE, color_scheme="light")
    context.set_default_timeout(180_000)
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": url}])
    return context.new_page()


def _take(page: Page, path: str, image: Path) -> None:
    page.goto(path)
    page.screenshot(path=image)
    print(f"   {image}")


if __name__ == "__main__":
    main()
