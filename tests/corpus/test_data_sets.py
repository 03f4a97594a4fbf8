"""Splits, truncation and statistics of clusters."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from newsdesk.corpus.splits import PARTS, day_of, split_days, truncate
from newsdesk.corpus.stats import cluster_stats, link_rot, range_rows, size_rows, stats_page
from newsdesk.errors import ArgumentError, DataError
from newsdesk.simulate import world
from newsdesk.types import Cluster, ClusterArticle, Event, Source

days = st.lists(st.integers(1, 28).map(lambda day: f"2019-05-{day:02d}"), min_size=3, max_size=80)


@settings(max_examples=60)
@given(days.filter(lambda each: len(set(each)) >= 3))
def test_no_date_is_in_two_parts_and_the_parts_are_in_order_of_time(each: list[str]) -> None:
    split = split_days(each)
    assert set(split.part_of_day) == set(each)
    assert sum(split.clusters.values()) == len(each)
    order = [PARTS.index(split.part_of_day[day]) for day in sorted(split.part_of_day)]
    assert order == sorted(order)
    assert set(order) == {0, 1, 2}


def test_parts_come_as_close_to_their_shares_as_dates_allow() -> None:
    many = [f"2019-{month:02d}-{day:02d}" for month in range(1, 11) for day in range(1, 21)] * 5
    assert dict(split_days(many).clusters) == {"train": 800, "val": 100, "test": 100}
    thirds = split_days(many, (0.5, 0.25, 0.25))
    assert dict(thirds.clusters) == {"train": 500, "val": 250, "test": 250}


def test_a_split_needs_dates_enough_of_them_and_shares_that_add_up() -> None:
    with pytest.raises(DataError, match="no `date`"):
        day_of(Cluster("c", ()))
    with pytest.raises(ArgumentError, match="2 dates"):
        split_days(["2019-05-01", "2019-05-02"])
    with pytest.raises(ArgumentError, match="add to 1"):
        split_days(["2019-05-01"] * 9, (0.5, 0.1, 0.1))


def crowded(cited: int = 2, others: int = 30) -> Cluster:
    articles = [
        ClusterArticle(f"f{n}", f"text {n}", origin="found", probability=0.9 + n / 1000)
        for n in range(others)
    ]
    articles[5:5] = [ClusterArticle(f"c{n}", "cited", origin="cited") for n in range(cited)]
    return Cluster("e", tuple(articles))


@pytest.mark.parametrize("by", ["sample", "probability"])
def test_cited_articles_stay_first_and_the_order_is_the_old_one(by: str) -> None:
    whole, small = crowded(), truncate(crowded(), 10, by=by)  # type: ignore[arg-type]
    assert len(small.articles) == 10
    assert {"c0", "c1"} <= {each.id for each in small.articles}
    places = [whole.articles.index(each) for each in small.articles]
    assert places == sorted(places)


def test_a_smaller_sample_is_part_of_a_larger_one_and_seeds_differ() -> None:
    ids = {size: {each.id for each in truncate(crowded(), size).articles} for size in (5, 10, 20)}
    assert ids[5] < ids[10] < ids[20]
    assert (
        truncate(crowded(), 10, seed=1)
        != truncate(crowded(), 10, seed=0)
        == truncate(crowded(), 10)
    )


def test_by_probability_takes_the_most_probable_ones() -> None:
    small = truncate(crowded(cited=0), 3, by="probability")
    assert [each.id for each in small.articles] == ["f27", "f28", "f29"]


def test_a_small_cluster_stays_and_nonsense_is_refused() -> None:
    assert truncate(crowded(), 100) is not None and truncate(crowded(), 100) == crowded()
    assert len(truncate(crowded(cited=12), 10).articles) == 10
    with pytest.raises(ArgumentError, match="size"):
        truncate(crowded(), 0)
    with pytest.raises(ArgumentError, match="by"):
        truncate(crowded(), 3, by="luck")  # type: ignore[arg-type]


def example() -> list[Cluster]:
    cited = ClusterArticle(
        "a", "The emperor abdicates the throne.", lang="en", url="x.org/a", origin="cited"
    )
    copy = ClusterArticle("b", "the emperor abdicates, the throne", origin="found")
    empty = ClusterArticle("c", "", origin="found")
    return [
        Cluster(
            "1",
            (cited, copy, empty),
            "2019-05-02",
            "Politics",
            "The emperor abdicates. He rests.",
            ("Throne",),
        ),
        Cluster("2", (cited,), "2019-04-30", None, "Rain."),
    ]


def test_the_statistics_of_a_small_example_are_these() -> None:
    stats = cluster_stats("total", example())
    assert (stats.clusters, stats.articles, stats.cited, stats.stories) == (2, 4, 2, 1)
    assert (stats.first_day, stats.last_day) == ("2019-04-30", "2019-05-02")
    assert stats.articles_per_cluster is not None and stats.summary_words is not None
    per = stats.articles_per_cluster
    assert (per.min, per.max, per.mean, per.median) == (1, 3, 2, 2)
    assert (stats.summary_words.min, stats.summary_words.max, stats.summary_words.mean) == (1, 5, 3)
    assert stats.summary_sentences is not None and stats.summary_sentences.max == 2
    assert (stats.empty_articles, stats.duplicate_articles) == (1, 1)
    assert stats.categories == {"Politics": 1, "unknown": 1}
    assert stats.languages == {"en": 4}
    assert stats.extractive == ((0.6, 1.8), (0.0, 0.0))


def test_the_statistics_of_nothing_are_empty() -> None:
    stats = cluster_stats("none", [])
    assert (stats.clusters, stats.articles_per_cluster, stats.first_day) == (0, None, None)
    assert len(range_rows([stats])[1]) == 7
    assert "none" in stats_page([stats])


def test_the_sample_for_coverage_is_seeded_and_of_the_size_asked_for() -> None:
    clusters = list(world(seed=6, events=30, comments=0).clusters())
    first = cluster_stats("x", clusters, sample=10)
    assert len(first.extractive) == 10
    assert first == cluster_stats("x", clusters, sample=10)
    assert first.extractive != cluster_stats("x", clusters, sample=10, seed=1).extractive
    assert len(cluster_stats("x", clusters, sample=99).extractive) == 30
    assert cluster_stats("x", clusters, sample=0).coverage is None


def test_link_rot_counts_the_sources_that_no_cluster_has() -> None:
    events = [
        Event("1", "2019-05-02", "x", sources=(Source("https://x.org/a/"), Source("x.org/gone"))),
        Event("3", "2018-05-02", "y", sources=(Source("x.org/a"),)),
    ]
    rows = link_rot(events, example())
    assert [(each.year, each.sources, each.obtained) for each in rows] == [
        ("2018", 1, 0),
        ("2019", 2, 1),
    ]


def test_the_page_has_a_panel_for_each_file_and_all_tables() -> None:
    clusters = list(world(seed=6, events=12, comments=0).clusters())
    columns = [
        cluster_stats("total", clusters),
        cluster_stats("three", (truncate(each, 3) for each in clusters)),
    ]
    html = stats_page(columns, link_rot([], clusters))
    for text in (
        "total (n = 12)",
        "three (n = 12)",
        "period start",
        "words of a summary",
        "Languages",
    ):
        assert text in html
    assert html == stats_page(columns)
    header, rows = size_rows(columns)
    assert header == ["", "total", "three"] and rows[0] == ["clusters", 12, 12]
    assert Counter(len(row) for row in rows) == {3: len(rows)}
