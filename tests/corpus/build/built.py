"""A corpus built once from the sample newsroom, for tests of what is done with a corpus afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from newsdesk.corpus.build import build
from newsdesk.corpus.build_settings import read_settings
from newsdesk.work import Running
from tests.corpus.build.newsroom import write_newsroom


@dataclass(frozen=True, slots=True)
class Newsroom:
    """The inputs of a build and the corpus built from them."""

    settings: Path
    crawl: Path
    corpus: Path


def build_newsroom(folder: Path) -> Newsroom:
    """Write the inputs below a folder and build the corpus beside them."""
    settings = write_newsroom(folder / "inputs")
    build(
        read_settings(settings),
        folder / "corpus",
        root=settings.parent,
        running=Running("inline"),
    )
    return Newsroom(settings, settings.parent / "crawl", folder / "corpus")
