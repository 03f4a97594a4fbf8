"""Items of feeds as cells of articles: RSS 0.9 to 2.0, RDF, Atom, WordPress exports, and news sitemaps.

XML is read as a stream by the same parser as exports of comments, which refuses entities. A news sitemap has titles and dates and no texts; `corpus fill` adds these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from newsdesk.records.comments.exports import Element, elements

ROOTS = (b"<rss", b"<feed", b"<rdf:RDF", b"<RDF", b"<urlset", b"<sitemapindex")
_TEXTS = ("encoded", "content")
_LEADS = ("description", "summary")
_DATES = ("pubDate", "published", "date", "issued", "updated", "lastmod")
_AUTHORS = ("creator", "author")


def is_feed(head: bytes) -> bool:
    """Return True if a file begins as a feed or a sitemap does.

    >>> is_feed(b'<?xml version="1.0"?><rss version="2.0">'), is_feed(b"<html>")
    (True, False)
    """
    return any(root in head for root in ROOTS)


def feed_items(chunks: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the cells of each item with its line; an item without own language has that of the feed."""
    language = ""
    for element in elements(chunks, ("item", "entry", "url", "language")):
        if element.name == "language":
            language = language or element.text
            continue
        cells = _sitemap(element) if element.name == "url" else _item(element)
        cells.setdefault("lang", element.attributes.get("lang") or language)
        yield element.line, {name: value for name, value in cells.items() if value}


def _item(item: Element) -> dict[str, Any]:
    return {
        "title": _first(item, ("title",)),
        "url": _link(item),
        "text": _first(item, _TEXTS),
        "lead": _first(item, _LEADS),
        "date": _first(item, _DATES),
        "author": _author(item),
        "category": _category(item),
    }


def _sitemap(url: Element) -> dict[str, Any]:
    """Return the cells of an address of a sitemap; those of `news:news` where it has them."""
    news = url.child("news")
    if news is None:
        return {"url": url.value("loc"), "date": url.value("lastmod")}
    publication = news.child("publication")
    return {
        "url": url.value("loc"),
        "title": news.value("title"),
        "date": news.value("publication_date"),
        "source": publication.value("name") if publication else "",
        "lang": publication.value("language") if publication else "",
    }


def _first(item: Element, names: Iterable[str]) -> str:
    """Return the text of the first of these children that has some, with that of elements in it."""
    for name in names:
        for child in item.children:
            if child.name == name and (text := _all_text(child)):
                return text
    return ""


def _all_text(element: Element) -> str:
    parts = [element.text, *(_all_text(child) for child in element.children)]
    return "\n".join(part for part in parts if part)


def _link(item: Element) -> str:
    """Return the address of an item: a link in Atom's form or as text, else an id that is an address."""
    for child in item.children:
        is_page = child.name == "link" and child.attributes.get("rel", "alternate") == "alternate"
        if is_page and (target := child.attributes.get("href") or child.text):
            return target
    ids = (item.value("guid"), item.value("id"), item.attributes.get("about", ""))
    return next((name for name in ids if name.startswith(("http://", "https://"))), "")


def _author(item: Element) -> str:
    names = [child.value("name") or child.text for child in item.children if child.name in _AUTHORS]
    return ", ".join(dict.fromkeys(name for name in names if name))


def _category(item: Element) -> str:
    names = (
        child.attributes.get("term") or child.text
        for child in item.children
        if child.name == "category"
    )
    return next((name for name in names if name), "")
