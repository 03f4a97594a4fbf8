"""The published WCEP files (Gholipour Ghalandari et al. 2020), with articles and without, as clusters, events or articles.

The release (`train.jsonl.gz`, …) has `articles`; the release without them (`initial_dataset.jsonl`) has the addresses of cited pages in `wcep_articles` and the ids
of the WARC records of found ones in `cc_articles`. As events both keep the links of the summary (`wiki_links`) as entities and the cited pages as sources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from newsdesk.errors import DataError
from newsdesk.records.comments.grouping import Account, Lines
from newsdesk.records.kinds import Seen
from newsdesk.records.schema import Json, parse_line, schema_of
from newsdesk.types import Article, Cluster, Entity, Event, Source

Ignored = Counter[str]

_WITHOUT_TEXTS = ("wcep_articles", "cc_articles")
_ONLY = {"reference_urls", "wiki_links", "collection", *_WITHOUT_TEXTS}
_ARTICLE_ONLY = {"archive_url", "time", "state"}
_ORIGINS = {"WCEP": "cited", "CommonCrawl": "found"}
_KEYS = {key: key for key in ("id", "date", "category", "summary")}
_LISTS = {key: key for key in ("articles", *_WITHOUT_TEXTS)}
_LINKED = {key: key for key in ("wiki_links", "reference_urls")}
_ARTICLE_KEYS = {
    **{key: key for key in ("id", "title", "text", "url", "source", "origin", "probability")},
    "time": "date",
    "date": "date",
}
_PAGE_OF_WIKI = re.compile(r".*?/wiki/", re.DOTALL)
_QUALIFIER = re.compile(r"\s*\([^()]*\)\Z")


def is_wcep(first: Mapping[str, Json]) -> bool:
    """Return True if an object is a line of the published files.

    >>> is_wcep({"id": 1, "summary": "It happened.", "reference_urls": []}), is_wcep({"id": "1", "articles": []})
    (True, False)
    """
    if _ONLY & first.keys():
        return True
    articles = first.get("articles")
    return isinstance(articles, list) and any(
        isinstance(article, dict)
        and (_ARTICLE_ONLY & article.keys() or article.get("origin") in _ORIGINS)
        for article in articles
    )


def read_wcep(
    file: str, lines: Lines, kind: type[Any], account: Account
) -> Iterator[tuple[int, Any]]:
    """Yield the cluster or the event of each line, or the articles of all clusters."""
    record_of: Callable[[Mapping[str, Json], Ignored], Any] = _event if kind is Event else _cluster
    seen = Seen()
    for number, text in lines:
        try:
            record = record_of(parse_line(text), account.ignored)
        except DataError as error:
            raise error.at(file, number) from None
        if kind is not Article:
            yield number, record
            continue
        for position, article in enumerate(record.articles, 1):
            # An article may stand in several clusters.
            own = article.id if seen.add(article.id) else f"{record.id}/{position}"
            yield number, Article(own, article.text, article.title, article.url, article.date)


def take(value: Mapping[str, Json], names: Mapping[str, str], ignored: Ignored) -> dict[str, Json]:
    """Return the keys we know under our names; the others are counted."""
    taken = {}
    for key, content in value.items():
        if key in names:
            if content is not None and content != "":
                taken[names[key]] = content
        else:
            ignored[key] += 1
    return taken


def _cluster(value: Mapping[str, Json], ignored: Ignored) -> Any:
    cluster = _headed(take(value, {**_KEYS, **_LISTS}, ignored))
    articles = [_article(article, ignored) for article in _items(cluster, "articles")]
    articles += [_cited(article, ignored) for article in _items(cluster, "wcep_articles")]
    articles += [_found(article, ignored) for article in _items(cluster, "cc_articles")]
    for key in _WITHOUT_TEXTS:
        cluster.pop(key, None)
    ids = Counter(article.get("id") for article in articles)
    for article in articles:
        if ids[article.get("id")] > 1:
            article["id"] = None  # the published files repeat articles within a cluster
    cluster["articles"] = articles
    return schema_of(Cluster).decode(cluster)


def _headed(value: dict[str, Json]) -> dict[str, Json]:
    """Return a line with an id that is text, and the day of its date."""
    value["id"] = str(value.get("id", ""))
    if "date" in value:
        value["date"] = str(value["date"])[:10]
    return value


def _items(value: Mapping[str, Json], key: str) -> list[Json]:
    items = value.get(key, [])
    if not isinstance(items, list):
        raise DataError(f"`{key}` is not a list")
    return items


def _article(value: Json, ignored: Ignored) -> dict[str, Json]:
    if not isinstance(value, Mapping):
        raise DataError("an article is not an object")
    article = take(value, _ARTICLE_KEYS, ignored)
    article.setdefault("text", "")
    if "id" in article:
        article["id"] = str(article["id"])
    if "date" in article:
        article["date"] = str(article["date"])[:10]
    if "origin" in article:
        article["origin"] = _ORIGINS.get(article["origin"], article["origin"])
    return article


def _cited(value: Json, ignored: Ignored) -> dict[str, Json]:
    """Return a cited article without its text, by the address of the page or of its copy."""
    article = _article(value, ignored)
    if isinstance(value, Mapping) and value.get("archive_url"):
        article.setdefault("url", value["archive_url"])
    return {**article, "origin": "cited"}


def _found(value: Json, ignored: Ignored) -> dict[str, Json]:
    """Return a found article without its text, by the id of its WARC record."""
    article = _article({"id": value} if isinstance(value, str) else value, ignored)
    if "id" in article:
        article["id"] = record_uuid(article["id"])
    return {**article, "origin": "found"}


def record_uuid(record_id: str) -> str:
    """Return the UUID of a WARC-Record-ID.

    >>> record_uuid("<urn:uuid:0C1F1C3E-5B7A-4f7e-9d3b-1f0a2b3c4d5e>")
    '0c1f1c3e-5b7a-4f7e-9d3b-1f0a2b3c4d5e'
    """
    return record_id.strip().strip("<>").removeprefix("urn:uuid:").lower()


def _event(value: Mapping[str, Json], ignored: Ignored) -> Event:
    event = _headed(take(value, {**_KEYS, **_LISTS, **_LINKED}, ignored))
    cited = [
        article
        for key in ("articles", "wcep_articles")
        for article in _items(event, key)
        if isinstance(article, Mapping) and (key != "articles" or article.get("origin") == "WCEP")
    ]
    links = _texts(event, "wiki_links")
    sources = tuple(map(Source, _cited_pages(_texts(event, "reference_urls"), cited)))
    for key in (*_LISTS, *_LINKED):
        event.pop(key, None)
    record: Event = schema_of(Event).decode(event)
    entities = tuple(_entity(link, record.summary) for link in links)
    return Event(
        record.id,
        record.date,
        record.summary,
        category=record.category,
        entities=entities,
        sources=sources,
    )


def _texts(value: Mapping[str, Json], key: str) -> list[str]:
    """Return the texts of a list, each once."""
    texts = _items(value, key)
    if not all(isinstance(text, str) for text in texts):
        raise DataError(f"`{key}` is not a list of texts")
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _cited_pages(references: list[str], cited: list[Mapping[str, Json]]) -> list[str]:
    """Return the addresses that an event cites; a copy in the archive stands for its page."""
    copies = {article.get("url"): article.get("archive_url") for article in cited}
    pages = [*references, *(article.get("url") or "" for article in cited)]
    pages += [str(copy) for url, copy in copies.items() if copy and not url]
    return list(dict.fromkeys(str(copies.get(page) or page) for page in pages if page))


def _entity(link: str, summary: str) -> Entity:
    """Return the entity that a link of a summary names.

    Its phrase is the name of the page where the summary has it; the files do not say which other words were linked, and there it is empty.

    >>> _entity("/wiki/Mercury_(planet)", "A probe reaches Mercury.")
    Entity(phrase='Mercury', target='Mercury (planet)', start=16, end=23)
    >>> _entity("https://en.wikipedia.org/wiki/2016_Oscars", "Actors were honoured.")
    Entity(phrase='', target='2016 Oscars', start=0, end=0)
    """
    target = unquote(_PAGE_OF_WIKI.sub("", link, count=1)).replace("_", " ").strip()
    for name in (target, _QUALIFIER.sub("", target.partition("#")[0])):
        match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", summary, re.IGNORECASE)
        if name and match:
            return Entity(match[0], target, match.start(), match.end())
    return Entity("", target, 0, 0)
