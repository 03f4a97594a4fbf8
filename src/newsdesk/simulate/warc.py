"""A crawl of articles as a WARC file (WARC 1.0, one gzip member for each record), with the losses that crawls have.

Beside the pages of articles there are redirects, missing pages, pictures, feeds and request records, so that every filter of a reader
has something to do; the truth says for each record what it is. The bytes depend on the articles alone: ids come from hashes of
addresses, times from the articles' dates, and gzip headers carry no clock.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from newsdesk.simulate.sites import TEMPLATES, article_page
from newsdesk.types import Article

_CRAWLER = "newsdesk simulated crawl"
_PHRASES = {200: "OK", 301: "Moved Permanently", 404: "Not Found", 503: "Service Unavailable"}
_RELATED = 3
# Of a thousand articles: how many cannot be fetched, and after how many another record follows that is no article.
_LOST, _BESIDE = 40, 60


@dataclass(frozen=True, slots=True)
class Capture:
    """One record of a crawl. `outcome` says what a reader has to make of it: article, not 200, not HTML or not a response."""

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
        """What is true of the record, as a row."""
        row = {
            "url": self.url,
            "outcome": self.outcome,
            "status": self.status if self.kind == "response" else None,
            "article": self.article,
            "template": self.template,
        }
        return {key: each for key, each in row.items() if each is not None}


def crawl(articles: Iterable[Article], *, losses: bool = True) -> Iterator[Capture]:
    """The records of a crawl of articles; without losses every article has its page, and only other records are lost."""
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
    """The records of a WARC file, each a gzip member; a record on the file itself comes first."""
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
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:6])


def _missing(capture: Capture, number: int) -> Capture:
    """The answer of a site that no longer has the page, or moved it, or is down."""
    status = (404, 301, 503)[number % 3]
    body = f"<html><head><title>{status}</title></head><body><h1>{_PHRASES[status]}</h1></body></html>\n".encode()
    location = f"{capture.url}?moved=1" if status == 301 else None
    return replace(
        capture, outcome="not 200", status=status, body=body, template=None, location=location
    )


def _beside(capture: Capture, number: int) -> Capture:
    """A record that a crawl holds beside articles."""
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
