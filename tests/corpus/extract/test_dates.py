"""The day of publication: forms, sources in their order, and the bound by the crawl."""

from __future__ import annotations

import datetime

import pytest

import newsdesk as nd
from newsdesk.corpus.extract.dates import day
from tests.corpus.extract.pages import BODY, json_ld, page

LD = '{"@context":"https://schema.org","@type":"NewsArticle","headline":"x","datePublished":"%s"}'


@pytest.mark.parametrize(
    "value",
    [
        "2024-03-05",
        "2024-03-05T23:59:00-08:00",
        "2024-03-05 01:00:00+09:00",
        "2024/3/5",
        "20240305",
        "20240305T101500Z",
        "202403051015",
        "Tue, 05 Mar 2024 10:15:00 GMT",
        "March 5, 2024",
        "Mar. 5th, 2024",
        "5 March 2024",
        "Dienstag, 5. März 2024, 10:15 Uhr",
        "5 de marzo de 2024",
        "5 марта 2024",
        "05.03.2024",
        "2024年3月5日",
        "2024년 3월 5일",
        ["2024-03-05"],
        1709633700,
        1709633700000,
        "1709633700",
    ],
)
def test_a_day_is_read_in_many_forms_as_it_is_written(value: object) -> None:
    assert day(value) == datetime.date(2024, 3, 5)


@pytest.mark.parametrize(
    "value", ["", "soon", "2024-13-45", "99", None, {}, [], [[]], True, 1e300, "9" * 500, -5]
)
def test_what_names_no_day_is_no_day(value: object) -> None:
    assert day(value) is None


@pytest.mark.parametrize(
    "markup",
    [
        LD % "2024-03-05T10:00:00Z",
        "[" + LD % "2024-03-05T10:00:00Z" + "]",
        '{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"P"},'
        + LD % "2024-03-05"
        + "]}",
        '{"@type":"WebPage","mainEntity":' + LD % "2024-03-05" + "}",
        (LD % "2024-03-05").replace('"NewsArticle"', '["Thing","ReportageNewsArticle"]'),
        (LD % "2024-03-05").replace("{", "{\n", 1).replace("}", ",}"),
        "<!--" + LD % "2024-03-05" + "-->",
        "//<![CDATA[" + LD % "2024-03-05" + "//]]>",
    ],
)
def test_json_ld_is_read_in_every_shape_even_broken(markup: str) -> None:
    article = nd.extract(page(head=json_ld(markup)))
    assert (article.date, article.date_source) == ("2024-03-05", "json-ld")


def test_of_several_articles_in_json_ld_the_one_with_the_page_title_counts() -> None:
    other = LD.replace('"x"', '"Another story"') % "2020-01-01"
    own = LD.replace('"x"', '"Harbour town closes its old bridge"') % "2024-03-05"
    assert nd.extract(page(head=json_ld(f"[{other},{own}]"))).date == "2024-03-05"


SOURCES = (
    ("json-ld", json_ld(LD % "2024-03-01")),
    ("meta", '<meta property="article:published_time" content="2024-03-02T08:00:00+01:00">'),
    ("itemprop", '<span itemprop="datePublished" content="2024-03-03"></span>'),
    ("time", '<time datetime="2024-03-05">today</time>'),
)


@pytest.mark.parametrize("first", range(len(SOURCES)))
def test_sources_are_asked_in_their_order(first: int) -> None:
    parts = [markup for _, markup in SOURCES[first:]]
    article = nd.extract(page("".join(parts) + BODY))
    assert article.date_source == SOURCES[first][0]
    assert article.date is not None
    assert 0 < (article.date_confidence or 0) <= 1


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/2024/03/05/bridge.html",
        "https://example.org/news/2024/3/5/bridge",
        "https://example.org/bridge-2024-03-05.html",
        "https://example.org/a/20240305-bridge",
    ],
)
def test_a_day_in_the_address_counts_before_the_time_tag(url: str) -> None:
    article = nd.extract(page(f'<time datetime="2024-01-01"></time>{BODY}'), url)
    assert (article.date, article.date_source) == ("2024-03-05", "url")


def test_a_time_inside_the_article_counts_before_one_in_the_header() -> None:
    body = f'<time datetime="2024-09-09"></time><article><time datetime="2024-03-05"></time>{BODY}</article>'
    assert nd.extract(page(body)).date == "2024-03-05"


def test_a_day_after_the_crawl_is_not_believed_and_the_next_source_is_asked() -> None:
    html = page(f'<time datetime="2024-03-05"></time>{BODY}', head=json_ld(LD % "2024-03-09"))
    assert nd.extract(html).date == "2024-03-09"
    assert nd.extract(html, crawled="2024-03-08").date == "2024-03-09"
    assert nd.extract(html, crawled="2024-03-07").date == "2024-03-05"
    assert nd.extract(html, crawled=datetime.datetime(2024, 3, 7, 12)).date == "2024-03-05"


def test_htmldate_is_asked_last() -> None:
    article = nd.extract(page(f"<p>Published on 5 March 2024</p>{BODY}"), crawled="2024-03-08")
    assert (article.date, article.date_source) == ("2024-03-05", "htmldate")


def test_a_change_is_better_than_no_day() -> None:
    markup = json_ld((LD % "2024-03-05").replace("datePublished", "dateModified"))
    article = nd.extract(page(head=markup))
    assert (article.date, article.date_source) == ("2024-03-05", "modified")


def test_a_crawl_date_that_is_none_is_an_argument_error() -> None:
    with pytest.raises(nd.ArgumentError, match="crawled is 'yesterday'"):
        nd.extract(page(), crawled="yesterday")
