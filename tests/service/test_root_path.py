"""Below a path of a proxy: every link, form, redirect, cookie and static file of a walk through the pages stays below it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx2 as httpx
import pytest
from fastapi import FastAPI

from newsdesk import samples
from newsdesk.campaigns import protocol
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError
from newsdesk.files import make_folder
from newsdesk.records import write
from newsdesk.service.app import create_app
from newsdesk.service.links import address, admin_link
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, TASKS
from tests.service.proxying import proxy
from tests.service.serving import running

ROOT = "/news/desk"
_LINK = re.compile(r'(?:href|src|action|formaction)="([^"]*)"')
_PAGES = 60  # of a walk


@dataclass
class Site:
    """An app behind a proxy, and what a browser gets there."""

    app: FastAPI
    client: httpx.Client

    def page(self, path: str) -> str:
        """A page, after redirects; every step of the way is below the root path."""
        answer = self.client.get(path, headers=HTML)
        for step in (*answer.history, answer):
            assert urlsplit(str(step.url)).path.startswith(ROOT), (path, step.url)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:300])
        return answer.text

    def send(self, page: str, path: str, **fields: str) -> httpx.Response:
        """A form of a page, sent to a path."""
        csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
        token = {"csrf": csrf[1]} if csrf else {}
        return self.client.post(path, data={**token, **fields}, headers=HTML)


@pytest.fixture(scope="module", params=[True, False], ids=["stripped", "passed on"])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("root") / "data"
    settings = ServiceSettings(data, root_path=ROOT, proxies=("127.0.0.1",))
    with running(settings) as (port, app), proxy(ROOT, port, strips=request.param) as outside:
        tasks = TASKS["constructive"]
        app.state.desk.store.create(
            "pilot", protocol("constructive"), tasks, None, per_item=2, seed=0
        )
        newsroom = make_folder(data / "newsroom")
        write(newsroom / "events.jsonl", samples.events()[:2])
        thread = samples.threads("en")[0]
        write(newsroom / "threads.jsonl", [replace(thread, comments=thread.comments[:3])])
        (data / "report.html").write_text("<title>A report</title><p>Figures.</p>")
        base = f"http://127.0.0.1:{outside}"
        with httpx.Client(base_url=base, follow_redirects=True, timeout=60) as client:
            yield Site(app, client)


def _signed_in(site: Site) -> str:
    """The first page of the admin, who has signed in through the proxy."""
    site.client.cookies.clear()
    token = site.app.state.desk.access.admin_link().token
    page = site.page(f"{ROOT}/sign-in?token={token}")
    answer = site.send(page, f"{ROOT}/sign-in", token=token)
    assert answer.url.path == f"{ROOT}/" and answer.status_code == 200
    assert [(cookie.path, cookie.name) for cookie in site.client.cookies.jar] == [
        (ROOT, "newsdesk_session")
    ]
    return answer.text


def test_a_walk_through_all_links_never_leaves_the_path(site: Site) -> None:
    text, seen = _signed_in(site), {f"{ROOT}/"}
    waiting: list[tuple[str, str]] = [(f"{ROOT}/", text)]
    while waiting and len(seen) < _PAGES:
        base, text = waiting.pop(0)
        for link in map(html.unescape, _LINK.findall(text)):
            whole = urljoin(base, link)
            if urlsplit(whole).netloc:
                continue  # another site
            assert whole.startswith(f"{ROOT}/"), (base, link)
            path = whole.partition("#")[0]
            if (
                path in seen
                or "/sign-out" in path
                or "/export" in path
                or f'action="{link}"' in text
            ):
                continue
            seen.add(path)
            answer = site.client.get(path, headers=HTML)
            assert answer.status_code == 200, (base, path, answer.status_code)
            if answer.headers["content-type"].startswith("text/html") and "/reports/" not in path:
                waiting.append((path, answer.text))
    assert {
        f"{ROOT}/static/app.css",
        f"{ROOT}/campaigns",
        f"{ROOT}/studies/reports/report.html",
    } <= seen
    assert len(seen) > 25


def test_an_annotator_answers_below_the_path(site: Site) -> None:
    page = _signed_in(site)
    made = site.send(page, f"{ROOT}/campaigns/pilot/invite", whom="anybody")
    assert made.status_code == 200
    link = site.app.state.desk.access.invite("pilot", None).token
    site.client.cookies.clear()
    joined = site.send(site.page(f"{ROOT}/join/{link}"), f"{ROOT}/join/{link}", name="dora")
    assert joined.url.path == f"{ROOT}/annotate/pilot"
    task = site.client.get(f"{ROOT}/annotate/pilot/continue", headers=HTML)
    fields = dict(re.findall(r'type="checkbox" name="([^"]+)" value="([^"]+)"', task.text)[:1])
    after = site.send(task.text, task.url.path, **fields)
    assert after.status_code == 200 and "saved=" in str(after.url)
    paths = {cookie.name: cookie.path for cookie in site.client.cookies.jar}
    assert paths["newsdesk_place"] == f"{ROOT}/annotate/pilot"
    assert paths["newsdesk_session"] == ROOT


def test_a_redirect_of_a_slash_and_links_for_others_name_the_path(site: Site) -> None:
    page = _signed_in(site)
    slash = site.client.get(f"{ROOT}/campaigns/", headers=HTML, follow_redirects=False)
    assert urlsplit(slash.headers["location"]).path == f"{ROOT}/campaigns"
    shown = site.send(page, f"{ROOT}/access/staff", name="mia", role="moderator").text
    assert f"{ROOT}/sign-in?token=" in shown
    document = site.client.get(f"{ROOT}/openapi.json").json()
    assert document["servers"] == [{"url": ROOT}]


def test_the_first_link_names_the_path(tmp_path: Path) -> None:
    settings = ServiceSettings(tmp_path / "data", root_path=ROOT)
    assert str(admin_link(settings, "::1", 80)).startswith(f"http://[::1]:80{ROOT}/sign-in?token=")
    assert address("127.0.0.1", 8000) == "http://127.0.0.1:8000/"


@pytest.mark.parametrize("root", ["desk", "//desk", "/desk/", "/a b", "/.", "/a/../b", '/"x', "/ä"])
def test_what_is_no_path_is_refused(tmp_path: Path, root: str) -> None:
    with pytest.raises(ArgumentError, match="is not a root path"):
        ServiceSettings(tmp_path, root_path=root)


def test_the_path_of_a_page_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ArgumentError, match="begins like the page /comments"):
        create_app(ServiceSettings(tmp_path / "data", root_path="/comments/below"))
    assert main(["serve", "--data", str(tmp_path / "data"), "--root-path", "desk"]) == 1
    assert "is not a root path; write it as /newsdesk" in capsys.readouterr().err
