"""Every page of the table in Chromium, in the small form of `python -m bench.walk`: each role once, widths, colours and scripts in turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from newsdesk.demo.campaigns import lay_out
from newsdesk.results.page import Section, page as report_page
from newsdesk.service.settings import ServiceSettings
from tests.browser.desk import Served
from tests.browser.walking import FILES, ROLES, Look, Walk
from tests.service.route_table import TABLE
from tests.service.serving import running

LOOKS = {
    "stranger": Look(360),
    "reader": Look(1400, script=False),
    "lead": Look(1400),
    "admin": Look(360, dark=True),
    "moderator": Look(768),
    "annotator": Look(1400),
    "annotator grade": Look(360),
    "annotator constructive": Look(768, dark=True, script=False),
    "annotator relate": Look(360, script=False),
}


@pytest.fixture(scope="module")
def walk(browser: Browser, shots: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """The sample newsroom, served."""
    data = tmp_path_factory.mktemp("walk") / "data"
    settings = ServiceSettings(data, requests_per_minute=10**6, sign_ins_per_minute=10**6)
    with running(settings) as (port, app):
        lay_out(data, app.state.desk.store)
        section = Section("A question").text("An answer.")
        (data / "report.html").write_text(report_page("A report", "What it is about.", [section]))
        yield Walk.begin(Served(f"http://127.0.0.1:{port}", app, browser), shots)


def test_the_walk_knows_every_page_of_the_table(walk: Walk) -> None:
    pages = {path for method, path in TABLE if method == "GET" and not path.startswith("/api/")}
    assert set(walk.values) == pages - FILES
    assert {role.partition(" ")[0] for role in ROLES} == {"stranger", "annotator", "reader", "moderator", "lead", "admin"}  # fmt: skip


@pytest.mark.parametrize("role", LOOKS)
@pytest.mark.timeout(600)
def test_every_page_is_filled_fits_and_passes_axe(walk: Walk, role: str) -> None:
    before = walk.visited
    walk.walk(role, [LOOKS[role]])
    assert not walk.problems
    assert walk.visited > before
