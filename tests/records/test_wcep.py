"""The published WCEP files as clusters, as events with entities and cited pages, and as articles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.errors import DataError
from newsdesk.types import Article, Cluster, Entity, Event, References, Source
from tests.published import wcep, wcep_record, wcep_without_articles


def test_the_release_reads_as_clusters_and_with_its_links_as_events(tmp_path: Path) -> None:
    file = wcep(tmp_path)["train"]
    clusters, events = list(records.read_any(file)), list(records.read(file, Event))
    assert isinstance(clusters[0], Cluster)
    assert [cluster.id for cluster in clusters] == [event.id for event in events]
    first = events[0]
    assert first.summary == "A flood destroys 10 houses in the capital of Avaria."
    assert (first.date, first.category) == ("2017-01-01", "Floods")
    assert first.entities == (
        Entity("Avaria", "Avaria (country)", 45, 51),
        Entity("", "2017 flood", 0, 0),
    )
    assert [source.url.rpartition("/https")[0] for source in first.sources] == [
        "https://web.archive.org/web/20170101120000"
    ] * 2


def test_the_release_without_articles_reads_as_the_same_events(tmp_path: Path) -> None:
    file = wcep_without_articles(tmp_path, events=12)
    reader = records.read_any(file)
    events = list(reader)
    assert (reader.kind, reader.format) == (Event, "wcep")
    assert events == list(records.read(wcep(tmp_path)["train"], Event))
    assert len(list(records.read(file, References))) == 12


def test_without_articles_a_cluster_names_cited_pages_and_records_of_the_crawl(
    tmp_path: Path,
) -> None:
    cluster = next(records.read(wcep_without_articles(tmp_path), Cluster))
    assert [(article.origin, article.text) for article in cluster.articles] == [
        *[("cited", "")] * 2,
        *[("found", "")] * 3,
    ]
    assert cluster.articles[0].url == "https://paper0.example/2017-01-01/flood-0"
    assert [article.id for article in cluster.articles[2:]] == [
        wcep_record(0, place) for place in (2, 3, 4)
    ]


def test_articles_of_several_clusters_have_ids_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    rows = [
        {"id": n, "articles": [{"id": "same", "text": "One.", "origin": "WCEP"}]} for n in (1, 2)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert [article.id for article in records.read(path, Article)] == ["same", "2/1"]


def test_a_cited_page_without_an_address_is_known_by_its_copy(tmp_path: Path) -> None:
    copy = "https://web.archive.org/web/20170101/http://a.example/"
    row = {"id": 1, "date": "2017-01-01", "summary": "S.", "wcep_articles": [{"archive_url": copy}]}
    path = tmp_path / "initial_dataset.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    (event,), (cluster,) = records.read(path, Event), records.read(path, Cluster)
    assert (event.sources, cluster.articles[0].url) == ((Source(copy),), copy)


@pytest.mark.parametrize("key", ["wiki_links", "reference_urls", "wcep_articles"])
def test_a_key_that_holds_no_list_is_named_with_its_line(tmp_path: Path, key: str) -> None:
    path = tmp_path / "x.jsonl"
    row = {"id": 1, "date": "2017-01-01", "summary": "S.", "collection": "train", key: "text"}
    path.write_text(json.dumps(row), "utf-8")
    with pytest.raises(DataError, match=f"x.jsonl:1: `{key}` is not a list"):
        list(records.read(path, Event))
