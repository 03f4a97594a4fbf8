"""A page of a crawl, and the reasons why a record does not become one.

A reader of a crawl file yields, for every unit of the input (a response, a file of HTML, a record that cannot be read), either
a `CrawledPage` or a `LostPage`. Units are numbered from 0 in the order of the file, so that a unit can be named again in a second pass.

Responses are taken apart here too: status, headers, and the body with its transfer and content encodings undone. Crawlers often store a decoded body
under the headers of the encoded one, so an encoding that the body's first bytes contradict is ignored. Decoding stops at `max_bytes`: a small body that
expands without end (a zip bomb) costs one record and no memory.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from newsdesk.network import TOO_LARGE
from newsdesk.registry import require
from newsdesk.work.tasks import CRASHED, TIMEOUT

# Why a unit is lost. A rejected unit is damaged or defeats the reader; the others are simply not articles.
NOT_200 = "not status 200"
NOT_HTML = "not HTML"
NO_TEXT = "no text"
BROKEN = "broken record"
TRUNCATED = "truncated record"
BROKEN_BODY = "broken body encoding"
UNKNOWN_ENCODING = "unknown body encoding"
FAILED = "extractor failed"
BROKEN_ROW = "broken row"  # of a table, or a line that is no JSON object
REJECTED = frozenset(
    {
        BROKEN,
        TRUNCATED,
        TOO_LARGE,
        BROKEN_BODY,
        UNKNOWN_ENCODING,
        TIMEOUT,
        CRASHED,
        FAILED,
        BROKEN_ROW,
    }
)

# What a `PageError` of the extractor, by its kind, is counted as.
PAGE_ERRORS = {"binary": NOT_HTML, "empty": NO_TEXT, "too-large": TOO_LARGE}

MAX_BYTES = 8 * 1024 * 1024
_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\d+[a-z_]*/(?=https?:)", re.IGNORECASE)
_TRACKING = re.compile(r"(utm_[^=&]*|fbclid|gclid)(=|$)", re.IGNORECASE)

_BLANK = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?\s+(\d{3})")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_MARKUP = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|\?xml|!--)", re.IGNORECASE
)
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_HEAD_BYTES = 65_536
_PREFIX_CHARACTERS = 200


def url_key(url: str) -> str:
    """Return an address without scheme, `www.`, port, last slash, tracking and fragment, host lower-cased.

    A copy in the Wayback Machine counts as the page that it is a copy of. The path keeps its case, and other parameters their order.

    >>> url_key("HTTPS://www.Example.org:443/a/B/?utm_source=x&id=3#top")
    'example.org/a/B?id=3'
    >>> url_key("https://web.archive.org/web/20190501000000/http://example.org/a")
    'example.org/a'
    """
    bare = _ARCHIVED.sub("", url.strip())
    if "://" not in bare:
        bare = f"//{bare.removeprefix('//')}"
    try:
        parts = urlsplit(bare)
    except ValueError:  # such as an unclosed bracket: no page has this address
        return url.strip()
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix(":80").removesuffix(":443").removeprefix("www.")
    query = "&".join(
        parameter
        for parameter in parts.query.split("&")
        if parameter and not _TRACKING.match(parameter)
    )
    path = parts.path.rstrip("/")
    return f"{host}{path}?{query}" if query else f"{host}{path}"


def article_id(url: str | None, text: str) -> str:
    """Return 16 hex digits of the sha256 of a page's canonical URL and the start of its text.

    The start is the first 200 characters.
    Both, because sites exist that name their front page as canonical URL everywhere, and pages exist that are rewritten
    under one URL. The same page crawled twice has one id.
    """
    start = f"{url or ''}\n{text[:_PREFIX_CHARACTERS]}"
    return hashlib.sha256(start.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """An HTML page: where it lies in its file, its bytes, and what the crawl knows about it."""

    number: int
    offset: int
    html: bytes
    url: str | None = None
    crawled: str | None = None
    charset: str | None = None
    record: str | None = None  # the WARC-Record-ID


@dataclass(frozen=True, slots=True)
class LostPage:
    """A unit of the input that is no page, with the reason."""

    number: int
    offset: int
    reason: str


class UnreadableError(ValueError):
    """A response that cannot be read as a page; `reason` is one of the constants of this module."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Response:
    """A response taken apart; header names are lower-cased, and of repeated ones the last counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def parse_response(block: bytes) -> Response:
    """Return the response in the block of a record; `UnreadableError` where it has no status line."""
    blank = _BLANK.search(block, 0, _HEAD_BYTES)
    head, body = (block[: blank.start()], block[blank.end() :]) if blank else (block, b"")
    status = _STATUS.match(head.lstrip())
    if status is None:
        raise UnreadableError(BROKEN)
    headers = {}
    for line in head.splitlines()[1:]:
        name, colon, value = line.decode("latin-1").partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return Response(int(status[1]), headers, body)


def html_of(block: bytes, *, max_bytes: int) -> tuple[bytes, str | None]:
    """Return the HTML of a stored response and the charset of its header; `UnreadableError` if none."""
    response = parse_response(block)
    if response.status != 200:
        raise UnreadableError(NOT_200)
    content_type = response.headers.get("content-type", "").lower()
    if content_type and not content_type.startswith(_HTML_TYPES):
        raise UnreadableError(NOT_HTML)
    body = decoded(response, max_bytes=max_bytes)
    if not content_type and not _MARKUP.match(body):
        raise UnreadableError(NOT_HTML)
    charset = _CHARSET.search(content_type)
    return body, charset[1] if charset else None


def decoded(response: Response, *, max_bytes: int) -> bytes:
    """Return the body with chunks joined and content encodings undone."""
    body = response.body
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        body = _joined(body)
    encodings = response.headers.get("content-encoding", "").lower().split(",")
    for encoding in reversed([name.strip() for name in encodings if name.strip()]):
        body = _decompressed(body, encoding, max_bytes)
    if len(body) > max_bytes:
        raise UnreadableError(TOO_LARGE)
    return body


def _joined(body: bytes) -> bytes:
    """Return the chunks of a body joined; a body that does not begin with a chunk was stored without them."""
    chunks: list[bytes] = []
    position = 0
    while position < len(body):
        size_line = _CHUNK_SIZE.match(body, position)
        if size_line is None and not chunks:
            return body
        if size_line is None or len(body) < size_line.end() + int(size_line[1], 16):
            raise UnreadableError(BROKEN_BODY)
        start, position = size_line.end(), size_line.end() + int(size_line[1], 16)
        if start == position:
            break
        chunks.append(body[start:position])
        position += 2 if body[position : position + 2] == b"\r\n" else 1
    return b"".join(chunks)


def _decompressed(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Return a body with one content encoding undone, unless its first bytes contradict that."""
    if encoding in ("identity", "none", "utf-8") or _MARKUP.match(body) or not body:
        return body
    if encoding in ("gzip", "x-gzip"):
        return _inflated(body, 31, max_bytes) if body[:2] == b"\x1f\x8b" else body
    if encoding == "deflate":
        # The two bytes of a zlib header (RFC 1950); some servers send raw deflate instead.
        wrapped = len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
        return _inflated(body, 15 if wrapped else -15, max_bytes)
    reader = {"br": "BrotliReader", "zstd": "ZstdReader"}.get(encoding)
    if reader is None:
        raise UnreadableError(UNKNOWN_ENCODING)
    try:
        text: bytes = getattr(fastwarc_streams(), reader)(io.BytesIO(body)).read(max_bytes + 1)
    except OSError as error:
        raise UnreadableError(BROKEN_BODY) from error
    return _capped(text, max_bytes)


def _inflated(body: bytes, wbits: int, max_bytes: int) -> bytes:
    """Return a body unpacked by zlib; `wbits` is 31 for gzip, 15 for zlib, -15 for raw deflate."""
    stream = zlib.decompressobj(wbits)
    try:
        text = stream.decompress(body, max_bytes + 1)
    except zlib.error as error:
        raise UnreadableError(BROKEN_BODY) from error
    if not stream.eof and len(text) <= max_bytes:
        raise UnreadableError(BROKEN_BODY)
    return _capped(text, max_bytes)


def _capped(text: bytes, max_bytes: int) -> bytes:
    if len(text) > max_bytes:
        raise UnreadableError(TOO_LARGE)
    return text


def fastwarc_streams() -> Any:
    """Return the module `fastwarc.stream_io`; its import warns about names of its own past."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return require("fastwarc.stream_io", extra="corpus", what="reading WARC files")
