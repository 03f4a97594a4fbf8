"""A store on each database, empty for every test; real rankings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from newsdesk.campaigns.store import Store
from tests.campaigns.servers import NoServerError, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    try:
        running = postgres(durable=False)
        url = running.__enter__()
    except NoServerError as reason:
        pytest.skip(f"NOTHING IS TESTED ON POSTGRESQL: {reason}")
    yield url
    running.__exit__(None, None, None)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return emptied(request.getfixturevalue("server"))


def emptied(url: str) -> str:
    """A PostgreSQL without the tables of earlier tests."""
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened
