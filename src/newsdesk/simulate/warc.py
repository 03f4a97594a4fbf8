"""A crawl of articles as a WARC file (WARC 1.0, one gzip member for each record), with the losses that crawls have.

Beside the pages of articles there are redirects, missing pages, pictures, feeds and request records, so that every filter of a reader
has something to do; the truth says for each record what it is. The bytes depend on the articles alone: ids come from hashes of
addresses, times from the articles' dates, and gzip headers carry no clock.

Pages come from several templates, with navigation, related links and footers around the text. What varies is what an extractor has to cope with: where the date
stands (JSON-LD, meta tags, a time tag, a line of text), whether there is a description of the page for machines at all, how much stands around the text, and how old the markup is.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import io
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from newsdesk.types import Article

_SENTENCES_EACH = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_SECTIONS = ("World", "Politics", "Business", "Science", "Sport", "Culture", "Opinion")

_CRAWLER = "newsdesk simulated crawl"
_PHRASES = {200: "OK", 301: "Moved Permanently", 404: "Not Found", 503: "Service Unavailable"}
_RELATED = 3
# Of a thousand articles: how many cannot be fetched, and after how many another record follows that is no article.
_LOST, _BESIDE = 40, 60


def article_page(article: Article, template: str, related: Sequence[Article] = ()) -> str:
    """Return the HTML page of an article; `related` are linked beside it by their titles."""
    return TEMPLATES[template](article, related)


def _text(text: str | None) -> str:
    return html.escape(text or "", quote=False)


def _value(text: str | None) -> str:
    return html.escape(text or "")


def _paragraphs(article: Article) -> list[str]:
    """Return the text in paragraphs: as it is written, or a few sentences each."""
    lines = [line for line in article.text.split("\n") if line.strip()]
    if len(lines) > 1:
        return lines
    sentences = [part for part in _SENTENCE.split(article.text) if part]
    blank = " " if article.text.isascii() or " " in article.text else ""
    return [
        blank.join(sentences[start : start + _SENTENCES_EACH])
        for start in range(0, len(sentences), _SENTENCES_EACH)
    ]


def _body(article: Article) -> str:
    return "\n".join(f"<p>{_text(paragraph)}</p>" for paragraph in _paragraphs(article))


def _navigation(article: Article) -> str:
    items = "".join(f'<li><a href="/{name.lower()}">{name}</a></li>' for name in _SECTIONS)
    return f'<header><a class="logo" href="/">{_text(article.source)}</a><nav><ul>{items}</ul></nav></header>'


def _related(related: Sequence[Article]) -> str:
    items = "".join(
        f'<li><a href="{_value(other.url)}">{_text(other.title)}</a></li>' for other in related
    )
    return f'<aside class="related"><h2>Read more</h2><ul>{items}</ul></aside>' if items else ""


def _footer(article: Article) -> str:
    return f'<footer><p>&copy; {_text(article.source)}. All rights reserved.</p><ul><li><a href="/about">About us</a></li><li><a href="/privacy">Privacy</a></li></ul></footer>'


def _linked_data(article: Article, related: Sequence[Article]) -> str:
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": f"{article.date}T08:30:00Z" if article.date else None,
        "author": {"@type": "Person", "name": article.author} if article.author else None,
        "publisher": {"@type": "Organization", "name": article.source},
        "mainEntityOfPage": article.url,
        "articleSection": article.category,
    }
    linked = json.dumps(
        {key: value for key, value in data.items() if value}, ensure_ascii=False
    ).replace("</", r"<\/")
    return f"""<!DOCTYPE html>
<html lang="{_value(article.lang)}"><head><meta charset="utf-8"><title>{_text(article.title)} | {_text(article.source)}</title>
<link rel="canonical" href="{_value(article.url)}">
<meta property="og:title" content="{_value(article.title)}"><meta property="og:type" content="article">
<script type="application/ld+json">{linked}</script></head>
<body>{_navigation(article)}
<main><article><h1>{_text(article.title)}</h1>
{_body(article)}
</article>{_related(related)}</main>
{_footer(article)}</body></html>
"""


def _meta_tags(article: Article, related: Sequence[Article]) -> str:
    return f"""<!DOCTYPE html>
<html lang="{_value(article.lang)}"><head><meta charset="utf-8"><title>{_text(article.title)}</title>
<meta property="og:url" content="{_value(article.url)}"><meta property="og:site_name" content="{_value(article.source)}">
<meta property="article:published_time" content="{_value(article.date)}T06:00:00+00:00">
<meta name="author" content="{_value(article.author)}"></head>
<body>{_navigation(article)}
<div class="cookie-banner"><p>We use cookies to improve this site.</p><button>Accept</button></div>
<div id="content"><h1 class="headline">{_text(article.title)}</h1>
<div class="article-body">
{_body(article)}
</div>
<div class="share"><a href="#">Share</a> <a href="#">Print</a></div></div>
{_related(related)}{_footer(article)}</body></html>
"""


def _time_tag(article: Article, related: Sequence[Article]) -> str:
    return f"""<!DOCTYPE html>
<html lang="{_value(article.lang)}"><head><meta charset="utf-8"><title>{_text(article.title)} - {_text(article.source)}</title></head>
<body>{_navigation(article)}
<article><header><h1>{_text(article.title)}</h1><time datetime="{_value(article.date)}">{_value(article.date)}</time></header>
<section>
{_body(article)}
</section></article>
{_related(related)}{_footer(article)}</body></html>
"""


def _plain(article: Article, related: Sequence[Article]) -> str:
    """Return a page with nothing for machines and nothing around the text but a line with the date."""
    day = date.fromisoformat(article.date) if article.date else None
    line = f"<p>{day.day} {day:%B} {day.year}</p>\n" if day else ""
    return f"""<html><head><meta charset="utf-8"><title>{_text(article.title)}</title></head>
<body><h1>{_text(article.title)}</h1>
{line}{_body(article)}
</body></html>
"""


def _tables(article: Article, related: Sequence[Article]) -> str:
    """Return a page as it was written around 2004."""
    menu = "<br>".join(f'<a href="/{name.lower()}.html">{name}</a>' for name in _SECTIONS)
    lines = "<br><br>\n".join(_text(paragraph) for paragraph in _paragraphs(article))
    return f"""<HTML><HEAD><META http-equiv="Content-Type" content="text/html; charset=utf-8"><TITLE>{_text(article.title)}</TITLE>
<META NAME="date" CONTENT="{_value(article.date)}"></HEAD>
<BODY BGCOLOR="#FFFFFF"><TABLE WIDTH="760"><TR><TD VALIGN="top" WIDTH="120">{menu}</TD>
<TD VALIGN="top"><FONT SIZE="5"><B>{_text(article.title)}</B></FONT><BR>
<FONT SIZE="2">
{lines}
</FONT></TD></TR></TABLE>
<CENTER><FONT SIZE="1">&copy; {_text(article.source)}</FONT></CENTER></BODY></HTML>
"""


TEMPLATES: dict[str, Callable[[Article, Sequence[Article]], str]] = {
    "linked-data": _linked_data,
    "meta-tags": _meta_tags,
    "time-tag": _time_tag,
    "plain": _plain,
    "tables": _tables,
}


@dataclass(frozen=True, slots=True)
class Capture:
    """One record of a crawl.

    `outcome` says what a reader has to make of it: article, not 200, not HTML or not a response.
    """

    url: str
    date: str
    outcome: str
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    body: bytes = b""
    kind: str = "response"
    article: str | None = None
    template: str | None = None
    location: str | None = None

    def truth(self) -> dict[str, Any]:
        """Return what is true of the record, as a row."""
        row = {
            "url": self.url,
            "outcome": self.outcome,
            "status": self.status if self.kind == "response" else None,
            "article": self.article,
            "template": self.template,
        }
        return {key: value for key, value in row.items() if value is not None}


def crawl(articles: Iterable[Article], *, losses: bool = True) -> Iterator[Capture]:
    """Yield the records of a crawl of articles.

    Without losses every article has its page, and only other records are lost.
    """
    names = list(TEMPLATES)
    earlier: list[Article] = []
    for article in articles:
        number = _number(article.id)
        template = names[number % len(names)]
        page = article_page(article, template, earlier[-_RELATED:])
        capture = Capture(
            article.url or f"https://unknown.invalid/{article.id}",
            article.date or "1970-01-01",
            "article",
            body=page.encode("utf-8"),
            article=article.id,
            template=template,
        )
        yield _missing(capture, number) if losses and number % 1000 < _LOST else capture
        if number % 1000 >= 1000 - _BESIDE:
            yield _beside(capture, number)
        earlier = [*earlier[1 - _RELATED :], replace(article, text="")]


def warc_bytes(captures: Iterable[Capture]) -> Iterator[bytes]:
    """Yield the records of a WARC file, each a gzip member; a record on the file itself comes first."""
    info = f"software: {_CRAWLER}\r\nformat: WARC File Format 1.0\r\n".encode()
    yield _member(
        [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", _urn("warcinfo")),
            ("WARC-Date", "1970-01-01T00:00:00Z"),
            ("Content-Type", "application/warc-fields"),
        ],
        info,
    )
    for number, capture in enumerate(captures):
        yield _record(capture, number)


def _number(text: str) -> int:
    """Return a number that depends on a text alone, in place of a random one."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:6])


def _missing(capture: Capture, number: int) -> Capture:
    """Return the answer of a site that no longer has the page, or moved it, or is down."""
    status = (404, 301, 503)[number % 3]
    body = f"<html><head><title>{status}</title></head><body><h1>{_PHRASES[status]}</h1></body></html>\n".encode()
    location = f"{capture.url}?moved=1" if status == 301 else None
    return replace(
        capture, outcome="not 200", status=status, body=body, template=None, location=location
    )


def _beside(capture: Capture, number: int) -> Capture:
    """Return a record that a crawl holds beside articles."""
    site = "{0.scheme}://{0.netloc}".format(urlsplit(capture.url))
    if number % 3 == 0:
        picture = b"\x89PNG\r\n\x1a\n" + hashlib.sha256(capture.url.encode()).digest()
        return Capture(
            f"{site}/logo.png", capture.date, "not HTML", media_type="image/png", body=picture
        )
    if number % 3 == 1:
        feed = b'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title></channel></rss>\n'
        return Capture(
            f"{site}/feed.xml",
            capture.date,
            "not HTML",
            media_type="application/rss+xml",
            body=feed,
        )
    request = (
        f"GET {urlsplit(capture.url).path} HTTP/1.1\r\nHost: {urlsplit(capture.url).netloc}\r\n\r\n"
    )
    return replace(
        capture,
        outcome="not a response",
        kind="request",
        body=request.encode(),
        article=None,
        template=None,
    )


def _record(capture: Capture, number: int) -> bytes:
    """Return the WARC record of a capture; its number in the file makes its id unique."""
    response = capture.kind == "response"
    block = _http(capture) + capture.body if response else capture.body
    headers = [
        ("WARC-Type", capture.kind),
        ("WARC-Record-ID", _urn(f"{number} {capture.url}")),
        ("WARC-Date", f"{capture.date}T{_number(capture.url) % 24:02d}:00:00Z"),
        ("WARC-Target-URI", capture.url),
        ("WARC-Block-Digest", _digest(block)),
    ]
    if response:
        headers.append(("WARC-Payload-Digest", _digest(capture.body)))
    kind = "response" if response else "request"
    return _member([*headers, ("Content-Type", f"application/http; msgtype={kind}")], block)


def _http(capture: Capture) -> bytes:
    lines = [f"HTTP/1.1 {capture.status} {_PHRASES[capture.status]}"]
    lines.append(f"Content-Type: {capture.media_type}")
    lines += [f"Location: {capture.location}"] if capture.location else []
    return "\r\n".join([*lines, f"Content-Length: {len(capture.body)}", "", ""]).encode("utf-8")


def _member(headers: Sequence[tuple[str, str]], block: bytes) -> bytes:
    """Return a record as one gzip member, without a clock in its header."""
    lines = ["WARC/1.0", *(f"{name}: {value}" for name, value in headers)]
    head = "\r\n".join([*lines, f"Content-Length: {len(block)}", "", ""]).encode("utf-8")
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=packed, mtime=0) as member:
        member.write(head + block + b"\r\n\r\n")
    return packed.getvalue()


def _urn(text: str) -> str:
    return f"<urn:uuid:{uuid.UUID(bytes=hashlib.sha256(text.encode('utf-8')).digest()[:16], version=4)}>"


def _digest(data: bytes) -> str:
    return f"sha1:{base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()}"
