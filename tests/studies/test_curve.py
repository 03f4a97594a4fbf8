"""Clusters that grow: which articles are there at each point, and that the ends are what they are without a curve."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, strategies as st

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.studies.curve import curve, grown
from newsdesk.summarizers import evaluate
from newsdesk.types import Cluster, ClusterArticle

ORIGINS = st.lists(st.sampled_from([None, "cited", "found"]), max_size=8)


def cluster_with(origins: list[str | None]) -> Cluster:
    articles = (ClusterArticle(str(n), "x", origin=each) for n, each in enumerate(origins))  # type: ignore[arg-type]
    return Cluster("c", tuple(articles))


def ids(cluster: Cluster) -> list[str]:
    return [article.id for article in cluster.articles]


def test_cited_articles_come_first_and_keep_their_place() -> None:
    cluster = cluster_with(["found", "cited", "found", "cited", "found"])
    assert [ids(grown(cluster, n)) for n in range(4)] == [
        ["1", "3"],
        ["0", "1", "3"],
        ["0", "1", "2", "3"],
        ["0", "1", "2", "3", "4"],
    ]


def test_where_none_is_cited_the_first_stands_for_them() -> None:
    assert ids(grown(cluster_with([None, None, None]), 1)) == ["0", "1"]
    assert ids(grown(cluster_with(["found", "found"]), 0)) == ["0"]
    assert ids(grown(cluster_with([]), 5)) == []


@given(ORIGINS, st.integers(0, 10))
def test_a_cluster_only_grows_and_ends_as_it_is(origins: list[str | None], added: int) -> None:
    cluster = cluster_with(origins)
    less, more = set(ids(grown(cluster, added))), set(ids(grown(cluster, added + 1)))
    assert less <= more
    assert len(more) - len(less) <= 1
    assert grown(cluster, len(origins)) == cluster


def test_the_ends_of_the_curve_are_the_cited_articles_and_the_whole_cluster() -> None:
    clusters = samples.clusters()
    found = curve(clusters, ["centroid", "lead"], added=(0, 5, 100), samples=50)
    assert [(point.added, point.system) for point in found.points] == [
        (added, system) for added in (0, 5, 100) for system in ("centroid", "lead")
    ]
    whole = evaluate(clusters, ["centroid", "lead"], samples=50)
    assert dict(found.points[-2].scores) == dict(whole["centroid"].scores)
    cited = [
        dataclasses.replace(c, articles=tuple(a for a in c.articles if a.origin == "cited"))
        for c in clusters
    ]
    assert dict(found.points[0].scores) == dict(
        evaluate(cited, ["centroid"], samples=50).rows[0].scores
    )
    assert found.points[0].articles == sum(len(c.articles) for c in cited) / 12
    to_add = [len(c.articles) - len(d.articles) for c, d in zip(clusters, cited, strict=True)]
    assert 5 in to_add
    assert [point.full for point in found.points[::2]] == [12, sum(n >= 5 for n in to_add), 0]
    page = found.section().html(1)
    assert "<svg" in page
    assert found.signature in page


def test_what_means_nothing_is_refused() -> None:
    for added in ((), (-1,), (3, 3)):
        with pytest.raises(ArgumentError, match="added articles"):
            curve(samples.clusters(), ["lead"], added=added)
    for methods in ([], ["lead", "lead"]):
        with pytest.raises(ArgumentError, match="no method is given, or one comes twice"):
            curve(samples.clusters(), methods)
