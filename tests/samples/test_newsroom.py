"""The sample newsroom is what it says: counts, lengths, links, and every fact of a summary stands in its articles."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import spearmanr

from newsdesk import samples
from newsdesk.errors import SpecError
from newsdesk.languages import LISTED
from newsdesk.text import language, tokenizer
from newsdesk.types import Article, Cluster, Event, Thread

EVENTS = samples.events()
CLUSTERS = samples.clusters()
THREADS = samples.threads("en")


def five_grams(article: Article) -> set[tuple[str, ...]]:
    words = tokenizer("rouge").words(article.text)
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def test_twelve_events_over_five_days_with_three_stories() -> None:
    assert len(EVENTS) == len(CLUSTERS) == 12
    assert sorted({event.date for event in EVENTS}) == [f"2031-03-0{day}" for day in range(3, 8)]
    stories = Counter(story for event in EVENTS for story in event.story)
    assert len(stories) == 3
    assert min(stories.values()) >= 2


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda cluster: cluster.id)
def test_each_event_has_its_articles(cluster: Cluster) -> None:
    assert 5 <= len(cluster.articles) <= 8
    assert all(90 <= len(article.text.split()) <= 220 for article in cluster.articles)
    assert len({article.source for article in cluster.articles}) >= 5
    assert {article.origin for article in cluster.articles} == {"cited", "found"}
    assert all((article.source or "").endswith(".example") for article in cluster.articles)
    assert all(language(article.text) == article.lang == "en" for article in cluster.articles)


def test_near_duplicates_are_near_and_the_others_are_not() -> None:
    with_duplicates = 0
    for cluster in CLUSTERS:
        grams = [five_grams(article) for article in cluster.articles]
        shares = [len(a & b) / min(len(a), len(b)) for a, b in combinations(grams, 2)]
        assert not [share for share in shares if 0.35 <= share < 0.7]
        with_duplicates += any(share >= 0.7 for share in shares)
    assert with_duplicates >= 8


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.id)
def test_a_summary_is_short_and_its_facts_stand_in_the_articles(event: Event) -> None:
    assert len(event.summary.split()) <= 40
    (cluster,) = (each for each in CLUSTERS if each.id == event.id)
    assert cluster.summary == event.summary
    articles = " ".join(f"{article.title} {article.text}" for article in cluster.articles).lower()
    for number in re.findall(r"\d[\d.,:–%]*\d|\d", event.summary):
        assert number in articles, number
    for name in re.findall(r"\b[A-Z][a-z]+\b", event.summary):
        assert name.lower() in articles, name


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.id)
def test_links_lead_to_their_phrases_and_sources_to_their_articles(event: Event) -> None:
    assert 2 <= len(event.entities) <= 5
    for entity in event.entities:
        assert event.summary[entity.start : entity.end] == entity.phrase
    (cluster,) = (each for each in CLUSTERS if each.id == event.id)
    cited = {article.url for article in cluster.articles if article.origin == "cited"}
    assert {source.url for source in event.sources} == cited
    page = samples.path(f"portal/{event.date}.html").read_text("utf-8")
    for entity in event.entities:
        assert entity.target.replace(" ", "_") in page or entity.target in page
    for source in event.sources:
        assert source.url in page


def test_article_urls_are_unique() -> None:
    urls = [article.url for cluster in CLUSTERS for article in cluster.articles]
    assert len(set(urls)) == len(urls) == 76


def test_there_is_a_page_for_every_day() -> None:
    assert [page.stem for page in samples.portal_pages()] == [f"2031-03-0{d}" for d in range(3, 8)]


@pytest.mark.parametrize("lang", LISTED)
def test_threads_have_comments_of_every_kind(lang: str) -> None:
    threads = samples.threads(lang)
    assert len(threads) == (12 if lang == "en" else 2)
    for thread in threads:
        assert 20 <= len(thread.comments) <= 30
        assert language(thread.article.text) == lang
        ids = [comment.id for comment in thread.comments]
        for comment in thread.comments:
            assert comment.votes == 10
            assert comment.score == pytest.approx((comment.yes or 0) / 10)
            if comment.parent:
                assert ids.index(comment.parent) < ids.index(comment.id)
        assert min(comment.yes or 0 for comment in thread.comments) <= 1
        assert max(comment.yes or 0 for comment in thread.comments) >= 8


@pytest.mark.parametrize("thread", THREADS, ids=lambda thread: thread.article.id)
def test_some_comments_are_long_and_empty_and_some_short_and_sharp(thread: Thread) -> None:
    words = [(len(comment.text.split()), comment.score or 0) for comment in thread.comments]
    assert sum(1 for length, score in words if length >= 80 and score <= 0.3) >= 3
    assert sum(1 for length, score in words if 8 <= length <= 25 and score >= 0.5) >= 3


def test_likes_say_nothing_and_length_says_only_a_part() -> None:
    comments = [comment for thread in THREADS for comment in thread.comments]
    score = [comment.score or 0 for comment in comments]
    assert abs(np.corrcoef([comment.likes or 0 for comment in comments], score)[0, 1]) <= 0.1
    assert 0.3 < spearmanr([len(comment.text) for comment in comments], score).statistic < 0.6


def test_judgments_come_from_the_marks() -> None:
    grades = list(samples.judgments("grade"))
    votes = list(samples.judgments("constructive"))
    comments = [c for lang in LISTED for t in samples.threads(lang) for c in t.comments]
    assert len(grades) == 2 * len(comments)
    assert len(votes) == 10 * len(comments)
    assert {judgment.value for judgment in grades} == {1, 2, 3, 4, 5}
    yes = Counter(vote.target for vote in votes if vote.value is True)
    assert all(yes[comment.id] == comment.yes for comment in comments)
    assert len({judgment.key for judgment in (*grades, *votes)}) == len(grades) + len(votes)


def test_every_output_is_ranked_by_three_people_and_equal_texts_are_ranked_equal() -> None:
    outputs = samples.outputs()
    assert Counter(output.id for output in outputs) == {event.id: 4 for event in EVENTS}
    ranks = list(samples.judgments("rank"))
    assert len(ranks) == 12 * 4 * 3 * 3
    value = {(r.item, r.annotator, r.question, r.target): r.value for r in ranks}
    for a, b in combinations(outputs, 2):
        if a.id == b.id and a.text == b.text:
            for annotator in ("ann", "ben", "cy"):
                for question in ("informative", "coherent", "overall"):
                    keys = [(a.id, annotator, question, each.system) for each in (a, b)]
                    assert value[keys[0]] == value[keys[1]]


def test_references_carry_the_mean_grade() -> None:
    references = samples.references("en")
    assert [each.id for each in references] == [thread.article.id for thread in THREADS]
    weights = [reference.weight for each in references for reference in each.references]
    assert {0.0, 1.0} <= set(weights)
    assert 0.4 < np.mean(weights) < 0.7


def test_controls_have_plain_answers() -> None:
    controls = samples.controls()
    assert Counter(control.answer for control in controls) == {True: 5, False: 5}
    assert {control.article for control in controls} <= {event.id for event in EVENTS}


def test_what_there_is_not_is_named() -> None:
    with pytest.raises(SpecError, match="not in 'fr'"):
        samples.threads("fr")
    with pytest.raises(SpecError, match="not 'relate'"):
        list(samples.judgments("relate"))
