"""A small simulated world for all tests of alignment."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from newsdesk.corpus.align.measured import fit_aligner
from newsdesk.corpus.align.model import EventAligner
from newsdesk.simulate import world as simulated
from newsdesk.types import Article, Event


@dataclass(frozen=True)
class Corpus:
    """Events, and articles of which some are cited, some undated and some far from any event."""

    events: list[Event]
    articles: list[Article]


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    world = simulated(seed=5, events=30, comments=0)
    articles: list[Article] = [each for cluster in world.clusters() for each in cluster.articles]
    articles[7] = replace(articles[7], date=None, url=None)
    articles[9] = replace(articles[9], date="1999-01-01", url=None)
    events = list(world.events())
    events[3] = replace(events[3], sources=())
    return Corpus(events, articles)


@pytest.fixture(scope="session", params=["paper", "rich"])
def aligner(request: pytest.FixtureRequest, corpus: Corpus) -> EventAligner:
    return fit_aligner(corpus.events, corpus.articles, features=request.param).aligner
