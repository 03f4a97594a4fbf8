"""One Chromium for all tests of a run, and a server of the test process that it talks to over loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from newsdesk.service.settings import ServiceSettings
from tests.browser.chromium import CHROMIUM, FLAGS
from tests.browser.desk import Served
from tests.service.serving import running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: the web app is NOT tested in a browser")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of screenshots, to be looked at: NEWSDESK_SCREENSHOTS names one that stays."""
    if named := os.environ.get("NEWSDESK_SCREENSHOTS"):
        Path(named).mkdir(parents=True, exist_ok=True)
        return Path(named)
    return tmp_path_factory.mktemp("screenshots")


@pytest.fixture(scope="session")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("served") / "data"
    settings = ServiceSettings(data, requests_per_minute=10**6, sign_ins_per_minute=10**6)
    with running(settings) as (port, app):
        yield Served(f"http://127.0.0.1:{port}", app, browser)
