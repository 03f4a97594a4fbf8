"""An app over an empty data folder, and clients that are strangers, admins, annotators and programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from tests.campaigns.conftest import emptied, server as postgresql
from tests.service.office import Office

__all__ = ["empty_postgresql", "office", "postgresql", "shared_office"]


@pytest.fixture
def empty_postgresql(postgresql: str) -> str:
    """A PostgreSQL without tables."""
    return emptied(postgresql)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A running app; every test has its own."""
    app = create_app(ServiceSettings(data=tmp_path / "data", requests_per_minute=100_000))
    with Office.opened(app) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A running app for tests that change nothing others look at."""
    data = tmp_path_factory.mktemp("service") / "data"
    app = create_app(
        ServiceSettings(data=data, requests_per_minute=100_000, sign_ins_per_minute=100_000)
    )
    with Office.opened(app) as opened:
        yield opened
