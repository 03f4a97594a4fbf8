"""Which article joins which event: the same as written out plainly, every article counted, cited ones always."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from newsdesk.corpus.align.candidates import (
    JOINED,
    NO_DATE,
    NO_EVENT,
    OTHER_EVENT,
    AlignSettings,
    ArticleBatch,
)
from newsdesk.corpus.align.clusters import (
    EVENT_WITHOUT_SOURCE,
    NO_SOURCE,
    SAME_ID,
    align,
    align_articles,
)
from newsdesk.corpus.align.model import EventAligner
from newsdesk.errors import ArgumentError
from newsdesk.records import record_text
from newsdesk.types import Article, Event, Source
from tests.corpus.align.conftest import Corpus
from tests.corpus.align.plain import plain_joins

DAY = "2019-05-01"


def test_the_joins_equal_those_of_the_plain_implementation(
    corpus: Corpus, aligner: EventAligner
) -> None:
    clusters, _, _ = align_articles(corpus.events, corpus.articles, aligner)
    joins = {each.id: {a.id: a.probability for a in each.articles} for each in clusters}
    plain = plain_joins(corpus.events, corpus.articles, aligner)
    assert {event: set(members) for event, members in joins.items()} == {
        event: set(members) for event, members in plain.items()
    }
    for event, members in joins.items():
        for article, probability in members.items():
            assert probability == (
                None
                if plain[event][article] is None
                else pytest.approx(plain[event][article], abs=1e-8)
            )
    assert sum(len(members) for members in joins.values()) > len(corpus.events)


def test_every_article_and_every_event_is_counted(corpus: Corpus, aligner: EventAligner) -> None:
    clusters, _, alignment = align_articles(corpus.events, corpus.articles, aligner)
    articles, events = alignment.articles, alignment.events
    assert articles.read == len(corpus.articles) == articles.kept + sum(articles.dropped.values())
    assert articles.kept == sum(len(each.articles) for each in clusters)
    assert articles.dropped[NO_DATE] == articles.dropped[NO_EVENT] == 1
    assert articles.dropped[EVENT_WITHOUT_SOURCE] > 0
    assert (events.read, events.kept, events.dropped) == (30, len(clusters), {NO_SOURCE: 1})


def test_the_size_of_batches_changes_nothing(corpus: Corpus, aligner: EventAligner) -> None:
    whole = align(corpus.events, [(0, ArticleBatch.of(corpus.articles))], aligner)
    pieces = [
        (0, ArticleBatch.of(corpus.articles[start : start + 7]))
        for start in range(0, len(corpus.articles), 7)
    ]
    parts = align(corpus.events, pieces, aligner)
    assert (parts.members, parts.articles) == (whole.members, whole.articles)


def test_clusters_are_chronological_and_hold_their_cited_articles_first(
    corpus: Corpus, aligner: EventAligner
) -> None:
    clusters, _, _ = align_articles(corpus.events[::-1], corpus.articles, aligner)
    days = [each.date or "" for each in clusters]
    assert days == sorted(days)
    for cluster in clusters:
        origins = [each.origin for each in cluster.articles]
        assert origins == sorted(origins)
        probabilities = [
            each.probability or 0 for each in cluster.articles if each.origin == "found"
        ]
        assert probabilities == sorted(probabilities, reverse=True)


def test_a_cited_article_joins_whatever_its_date_and_text(aligner: EventAligner) -> None:
    event = Event("e", DAY, "Floods hit Rome.", sources=(Source("http://www.example.org/a/"),))
    article = Article(
        "a", "nothing alike", url="https://example.org/a?utm_source=x", date="1999-01-01"
    )
    clusters, _, alignment = align_articles([event], [article], aligner)
    assert [(a.id, a.origin, a.probability) for a in clusters[0].articles] == [("a", "cited", None)]
    assert alignment.articles.kept == 1


def test_an_article_that_two_events_cite_is_in_both_and_counted_once(aligner: EventAligner) -> None:
    source = (Source("https://example.org/a"),)
    events = [Event("e", DAY, "Floods.", sources=source), Event("f", DAY, "Fires.", sources=source)]
    clusters, _, alignment = align_articles(
        events, [Article("a", "x", url="https://example.org/a")], aligner
    )
    assert [each.id for each in clusters] == ["e", "f"]
    assert (
        alignment.articles.kept == alignment.articles.notes["articles cited by several events"] == 1
    )


def test_without_a_source_there_is_no_cluster_unless_asked_for(
    corpus: Corpus, aligner: EventAligner
) -> None:
    events = [replace(each, sources=()) for each in corpus.events]
    none, _, alignment = align_articles(events, corpus.articles, aligner)
    assert none == [] and alignment.articles.kept == 0
    some, _, _ = align_articles(events, corpus.articles, aligner, uncited=True)
    assert len(some) > 20


def test_of_equally_probable_events_the_first_wins(corpus: Corpus, aligner: EventAligner) -> None:
    event = corpus.events[0]
    twin = replace(event, id="twin", sources=())
    clusters, candidates, _ = align_articles([event, twin], corpus.articles[:10], aligner)
    assert [each.id for each in clusters] == [event.id]
    lost = [each for each in candidates if each.event == "twin"]
    assert lost and {each.outcome for each in lost} <= {OTHER_EVENT, "below the probability"}
    assert any(each.outcome == OTHER_EVENT for each in lost)


def test_an_article_is_in_one_event_and_its_other_candidates_are_listed(
    corpus: Corpus, aligner: EventAligner
) -> None:
    clusters, candidates, _ = align_articles(
        corpus.events, corpus.articles, aligner, settings=AlignSettings(audit_floor=0.0)
    )
    members = [a.id for each in clusters for a in each.articles]
    assert len(members) == len(set(members))
    joined = [each.article for each in candidates if each.outcome == JOINED]
    assert len(joined) == len(set(joined))
    assert len(candidates) > len(joined)
    assert all(0 <= each.probability <= 1 for each in candidates)


def test_an_id_that_comes_twice_is_in_its_cluster_once(aligner: EventAligner) -> None:
    event = Event("e", DAY, "Floods hit Rome.", sources=(Source("https://example.org/a"),))
    copies = [Article("a", text, url="https://example.org/a") for text in ("one", "two")]
    clusters, _, alignment = align_articles([event], copies, aligner)
    assert [each.text for each in clusters[0].articles] == ["one"]
    assert alignment.articles.dropped == {SAME_ID: 1}


def test_the_story_and_category_of_an_event_reach_its_cluster(aligner: EventAligner) -> None:
    event = Event(
        "e",
        DAY,
        "Floods.",
        category="Disasters",
        story=("Floods of 2019",),
        sources=(Source("x.org/a"),),
    )
    (cluster,), _, _ = align_articles([event], [Article("a", "x", url="x.org/a")], aligner)
    assert (cluster.story, cluster.category, cluster.date) == (
        ("Floods of 2019",),
        "Disasters",
        DAY,
    )


@pytest.mark.parametrize(
    ("events", "articles"),
    [([], []), ([Event("e", DAY, "x")], []), ([], [Article("a", "x", date=DAY)])],
)
def test_nothing_in_gives_nothing_out(
    events: list[Event], articles: list[Article], aligner: EventAligner
) -> None:
    clusters, candidates, alignment = align_articles(events, articles, aligner)
    assert clusters == [] == candidates
    assert alignment.articles.read == len(articles)


@pytest.mark.parametrize("settings", [{"probability": 1.5}, {"days": -1}, {"audit_floor": -0.1}])
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ArgumentError):
        AlignSettings(**settings)  # type: ignore[arg-type]


def test_the_window_of_days_is_kept(corpus: Corpus, aligner: EventAligner) -> None:
    clusters, _, _ = align_articles(
        corpus.events, corpus.articles, aligner, settings=AlignSettings(days=0)
    )
    for cluster in clusters:
        assert {a.date for a in cluster.articles if a.origin == "found"} <= {cluster.date}


_CODE = """
import hashlib
from newsdesk.corpus.align.clusters import align_articles
from newsdesk.corpus.align.measured import fit_aligner
from newsdesk.records import record_text
from newsdesk.simulate import world
made = world(seed=2, events=15, comments=0)
events, articles = list(made.events()), [a for c in made.clusters() for a in c.articles]
aligner = fit_aligner(events, articles).aligner
clusters, candidates, _ = align_articles(events, articles, aligner)
print(aligner.signature, hashlib.sha256("".join(map(record_text, clusters)).encode()).hexdigest(), len(candidates))
"""


def test_the_hash_seed_and_threads_change_no_byte() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", _CODE],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_clusters_can_be_written_as_lines(corpus: Corpus, aligner: EventAligner) -> None:
    clusters, _, _ = align_articles(corpus.events, corpus.articles, aligner)
    assert json.loads(record_text(clusters[0]))["articles"][0]["origin"] == "cited"
