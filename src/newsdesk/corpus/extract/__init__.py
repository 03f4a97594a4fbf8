"""An article from a web page: title, text, day, language, address, outlet and author, with one parse of the page.

The recipe is our own, put together from readability (points for the elements around paragraphs), boilerplate by class names
and link density (Kohlschütter et al. 2010), and agreement between what a page says about itself and what it shows. It names
no publisher. Where it leaves less than 250 characters, or a text that holds few words of title and description, JSON-LD and
trafilatura (Barbaresi 2021) are asked for a second opinion.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from newsdesk.corpus.extract.container import DOUBTFUL, FEW, container, coverage, words
from newsdesk.corpus.extract.dates import dated
from newsdesk.corpus.extract.lines import is_invitation, lines
from newsdesk.corpus.extract.metadata import Metadata, bylines, folded, metadata, shown_title, title
from newsdesk.corpus.extract.page import MAX_BYTES, Element, clean, markup, outline, parse
from newsdesk.errors import ArgumentError
from newsdesk.registry import require
from newsdesk.text.language import language

_PREFIX = re.compile(r"^(?:www\d?|m|mobile|amp)\.")

# The languages that news is written in, by the script that `language` tells.
_SCRIPTS = {
    "ru": frozenset("ru uk bg sr mk be kk ky mn tg ba tt".split()),
    "ar": frozenset("ar fa ur ps ug sd ckb".split()),
    "hi": frozenset("hi mr ne sa".split()),
    "he": frozenset("he yi".split()),
    "zh": frozenset("zh yue".split()),
    "ja": frozenset(("ja",)),
    "ko": frozenset(("ko",)),
    "el": frozenset(("el",)),
    "th": frozenset(("th",)),
}
# Languages of scripts that `language` does not tell; some share punctuation with one that it does.
_UNTOLD = frozenset("bn as ta te gu pa kn ml or si my km lo bo dz ka hy am ti".split())
_FORMER = {"iw": "he", "in": "id", "ji": "yi", "jp": "ja", "cn": "zh", "gr": "el", "cz": "cs"}
_CODE = re.compile(r"\s*([A-Za-z]{2,3})(?![A-Za-z])")
_LITTLE = 250
_MUCH_MORE = 1.5
_GAIN = 0.25


def host(url: str | None) -> str:
    """Return the host of a URL without `www.` and the like; empty where there is none.

    >>> host("https://www.example.org:8080/a")
    'example.org'
    """
    try:
        name = urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
    return _PREFIX.sub("", name)


def canonical(page: Metadata, url: str | None) -> str | None:
    """Return the page's own address if it is on the same site and no front page, else `url`.

    Its own address is `link rel=canonical`, else `og:url`.
    """
    for value in (page.canonical, page.first("og:url")):
        try:
            address = urljoin(url or "", value or "")
            parts = urlsplit(address)
        except ValueError:
            continue
        if not value or parts.scheme not in ("http", "https") or not parts.hostname:
            continue
        if url and (
            not _same_site(host(url), host(address)) or _is_front(address) > _is_front(url)
        ):
            continue
        return address
    return url


def _is_front(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path.strip("/") == "" and not parts.query


def _same_site(first: str, second: str) -> bool:
    return first == second or first.endswith(f".{second}") or second.endswith(f".{first}")


def language_of(page: Metadata, text: str) -> str | None:
    """Return the language code of a page and its text; None where neither tells."""
    values = (
        page.lang,
        page.text("inLanguage"),
        page.first("content-language", "og:locale", "language", "dc.language"),
    )
    codes = [match[1].lower() for value in values if value and (match := _CODE.match(value))]
    declared = _FORMER.get(codes[0], codes[0]) if codes else None
    if not text:
        return declared
    shown = language(text)
    if declared is None or declared == shown:
        return shown
    if declared in _UNTOLD:
        return declared
    if shown in _SCRIPTS:
        return declared if declared in _SCRIPTS[shown] else shown
    # Latin letters, or a script that is not told apart: a declared language of the scripts above is wrong.
    return shown if any(declared in family for family in _SCRIPTS.values()) else declared


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a page holds; `text` is empty where no article was found, and has a line a paragraph."""

    title: str | None = None
    text: str = ""
    date: str | None = None
    date_source: str | None = None
    date_confidence: float | None = None
    lang: str | None = None
    url: str | None = None
    source: str | None = None
    author: str | None = None


def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    crawled: datetime.date | str | None = None,
    charset: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Extracted:
    """Return the article of a web page.

    A page that is empty, binary or too large raises `PageError` with its `kind`.

    `crawled` bounds the date, `charset` is what the HTTP header named.

    >>> page = "<title>Bridge closed | Post</title><h1>Bridge closed</h1><p>The town has closed its bridge.</p>"
    >>> article = extract(page, "https://post.example/2024/03/05/bridge", crawled="2024-03-06")
    >>> article.title, article.text, article.date, article.date_source
    ('Bridge closed', 'The town has closed its bridge.', '2024-03-05', 'url')
    """
    last = _day(crawled)
    root = parse(html, charset=charset, max_bytes=max_bytes)
    page = metadata(root)
    where = canonical(page, url)
    site = host(url or where)
    body = root.find("body")
    shown = outline(body if body is not None else root)
    headings = [block.text for block in shown.blocks if block.tag == "h1"] or shown_title(
        page.title, (block.text for block in shown.blocks if not block.links)
    )
    headline = title(page, headings, site)
    about = " ".join([headline or "", *page.descriptions[:1]])
    place = container(shown, about)
    text = "\n".join(lines(shown, place, page, headline or "")) if place else ""
    wanted = words(about)
    if len(text) < _LITTLE or (len(wanted) >= FEW and coverage(wanted, text) < DOUBTFUL):
        text = _second_opinion(root, page, text, wanted)
        text = "\n".join(
            line for line in text.split("\n") if folded(line) != folded(headline or "")
        )
    text = clean(text)
    day = dated(root, page, url or where, last)
    return Extracted(
        title=clean(headline or "") or None,
        text=text,
        date=day.date if day else None,
        date_source=day.source if day else None,
        date_confidence=day.confidence if day else None,
        lang=language_of(page, text),
        url=where,
        source=site or None,
        author=clean(", ".join(page.authors or bylines(root))) or None,
    )


def _day(crawled: datetime.date | str | None) -> datetime.date | None:
    """Return the day of a crawl, of a date, a time or a text that begins with one."""
    if isinstance(crawled, datetime.datetime):
        return crawled.date()
    if crawled is None or isinstance(crawled, datetime.date):
        return crawled
    try:
        return datetime.date.fromisoformat(crawled[:10])
    except ValueError:
        raise ArgumentError(f"crawled is {crawled!r}, not a date such as 2024-08-01") from None


def _second_opinion(root: Element, page: Metadata, text: str, wanted: set[str]) -> str:
    """Return the text, or that of JSON-LD or trafilatura if it is much longer and as much to the point."""
    body = page.article.get("articleBody")
    for alternative in (body if isinstance(body, str) else "", _from_trafilatura(root)):
        gain = coverage(wanted, alternative) - coverage(wanted, text)
        is_longer = len(alternative) > _MUCH_MORE * len(text) and _adds_article(
            text, alternative, wanted
        )
        if gain > _GAIN or (gain >= 0 and is_longer):
            text = alternative.strip()
    return text


def _adds_article(text: str, other: str, wanted: set[str]) -> bool:
    """Return whether what another text adds is about the article: teasers below it are not."""
    if len(wanted) < FEW or not text:
        return True
    lines = set(text.split("\n"))
    added = " ".join(line for line in other.split("\n") if line not in lines)
    return coverage(wanted, added) >= DOUBTFUL


def _from_trafilatura(root: Element) -> str:
    """Return the text that trafilatura finds, without invitations; empty where it fails."""
    trafilatura = require("trafilatura", extra="corpus", what="extracting articles")
    page = markup(root)
    try:
        document = (
            trafilatura.bare_extraction(page, fast=True, with_metadata=False) if page else None
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        document = None
    rows = (document.text or "").split("\n") if document else []
    return "\n".join(line for line in rows if not is_invitation(line))
