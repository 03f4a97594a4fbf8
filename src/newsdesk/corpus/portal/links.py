"""Links of a portal page in HTML: what is a source, what an entity, and which page a footnote or a citation cites."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from newsdesk.corpus.portal.passage import PassageBuilder, one_line

Node = Any  # a node of selectolax, which has no public type for elements and texts alike

_NAMESPACE = re.compile(
    r"(file|image|media|category|special|help|portal|template|wikipedia|wp|talk|user|draft|module|mediawiki|project)(_talk|\stalk)?:",
    re.IGNORECASE,
)
_WIKI_HOST = re.compile(
    r"(^|\.)(wikipedia|wikimedia|wiktionary|wikinews|wikidata|wikisource|wikivoyage|wikiquote|wikibooks|wikiversity)\.org$"
)


def classes_of(node: Node) -> set[str]:
    """The classes of an element; none of a text or comment."""
    if node.tag.startswith(("-", "!")):
        return set()
    return set((node.attributes.get("class") or "").split())


def cited_notes(root: Node) -> dict[str, list[str]]:
    """The page that each footnote cites, by the footnote's id."""
    notes = {}
    for element in root.css("li[id]"):
        key = element.attributes.get("id") or ""
        if not key.startswith("cite_note"):
            continue
        notes[key] = cited_pages(element)
    return notes


def external_address(link: Node) -> str | None:
    """The address of a link that leads to another site's page; None for links inside of the wikis."""
    href = (link.attributes.get("href") or "").strip()
    if href.startswith("//"):
        href = f"https:{href}"
    classes = classes_of(link)
    try:
        parts = urlsplit(href)
        query = parse_qs(parts.query)
    except ValueError:  # such as `http://[broken`
        return href if "external" in classes else None
    if parts.scheme.lower() not in ("http", "https", "ftp"):
        return None
    wiki = _WIKI_HOST.search(parts.netloc.lower()) is not None
    if wiki and ("action" in query or "redlink" in query):
        return None
    if "extiw" in classes or "new" in classes or (wiki and "external" not in classes):
        return None
    return href


def cited_pages(element: Node) -> list[str]:
    """The page that a footnote or citation cites: the original rather than an archived copy; at most one."""
    urls = [url for link in element.css("a") if (url := external_address(link)) is not None]
    originals = [url for url in urls if "web.archive.org" not in url]
    return (originals or urls)[:1]


def mark_link(link: Node, builder: PassageBuilder, start: int) -> None:
    """Mark what a link added to a passage since `start`, as a source or an entity."""
    text = (link.text() or "").strip()
    url = external_address(link)
    if url is not None:
        bare = "autonumber" in classes_of(link) or text.startswith(("http://", "https://", "www."))
        builder.mark(
            start, "source", url, bare=bare or re.fullmatch(r"\[?\d+\]?", text) is not None
        )
    elif target := _target(link):
        builder.mark(start, "entity", target)


def mark_citation(element: Node, builder: PassageBuilder) -> None:
    """Add the page of a citation that stands in the text as a source; its outlet is what the citation prints in italics."""
    outlets = [one_line(each.text()) for each in element.css("i, em")]
    for url in cited_pages(element):
        label = next((outlet for outlet in outlets if outlet), None)
        builder.mark(builder.length, "source", url, label=label, bare=True)


def _target(link: Node) -> str | None:
    """The title of the article that a link leads to; None for files, categories and other pages that are no articles."""
    href = link.attributes.get("href") or ""
    if not href or href.startswith("#"):
        return None
    title = one_line(link.attributes.get("title") or "").removesuffix(" (page does not exist)")
    if not title:
        parts = urlsplit(href)
        page = parse_qs(parts.query).get("title", [parts.path.partition("/wiki/")[2]])[0]
        title = one_line(unquote(page).replace("_", " "))
    if not title or _NAMESPACE.match(title):
        return None
    return title
