"""A corpus built once from simulated pages, for all tests of releases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from newsdesk.corpus.articles import Running
from newsdesk.corpus.build.run import build
from newsdesk.corpus.build.settings import read_settings
from tests.corpus.build.newsroom import write_newsroom


@dataclass(frozen=True, slots=True)
class Newsroom:
    """The inputs of a build and the corpus built from them."""

    settings: Path
    crawl: Path
    corpus: Path


@pytest.fixture(scope="session")
def newsroom(tmp_path_factory: pytest.TempPathFactory) -> Newsroom:
    folder = tmp_path_factory.mktemp("newsroom")
    settings = write_newsroom(folder / "inputs")
    build(
        read_settings(settings),
        folder / "corpus",
        root=settings.parent,
        running=Running("inline"),
    )
    return Newsroom(settings, settings.parent / "crawl", folder / "corpus")
