"""One app for all tests of the API, so that its worker process starts and loads models once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from tests.service.office import Office


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    data = tmp_path_factory.mktemp("api") / "data"
    settings = ServiceSettings(
        data=data, requests_per_minute=1_000_000, sign_ins_per_minute=100_000, max_items=200
    )
    with Office.opened(create_app(settings)) as opened:
        yield opened


@pytest.fixture(scope="session")
def reader(api: Office) -> TestClient:
    return api.program("read")


@pytest.fixture(scope="session")
def admin(api: Office) -> TestClient:
    return api.program("admin")
