"""WARC files written for tests, apart from the writers of the package, and extractors that misbehave on purpose."""

from __future__ import annotations

import gzip
import os
import re
import signal
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from newsdesk.errors import DataError


@dataclass(frozen=True, slots=True)
class Stored:
    """A response of a crawl."""

    url: str
    body: bytes
    status: int = 200
    headers: Mapping[str, str] | None = None

    def record(self, crawled: str = "2031-03-05T10:00:00Z") -> bytes:
        """The bytes of its WARC record."""
        headers = (
            {"Content-Type": "text/html; charset=utf-8"} if self.headers is None else self.headers
        )
        lines = [
            f"HTTP/1.1 {self.status} X",
            *(f"{name}: {each}" for name, each in headers.items()),
        ]
        block = "\r\n".join([*lines, "", ""]).encode() + self.body
        return record("response", block, self.url, crawled)


def record(kind: str, block: bytes, url: str, crawled: str = "2031-03-05T10:00:00Z") -> bytes:
    """The bytes of any WARC record."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: {crawled}\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype={kind}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def page(title: str, *, day: str | None = "2031-03-04", words: int = 80, lang: str = "en") -> bytes:
    """A page that `plain` and the extractor of the package can read."""
    meta = f'<meta property="article:published_time" content="{day}T08:00:00Z">' if day else ""
    sentences = " ".join(
        f"{title} is sentence number {n} of this article." for n in range(words // 8)
    )
    return (
        f'<html lang="{lang}"><head><title>{title}</title>{meta}</head>'
        f"<body><article><h1>{title}</h1><p>{sentences}</p></article></body></html>"
    ).encode()


def write_warc(path: Path, responses: Iterable[Stored | bytes]) -> Path:
    """Write a WARC file, compressed record by record where its name ends in .gz; bytes are records as they stand."""
    parts = [each if isinstance(each, bytes) else each.record() for each in responses]
    packed = [gzip.compress(part, mtime=0) if path.suffix == ".gz" else part for part in parts]
    path.write_bytes(b"".join(packed))
    return path


def write_crawl(path: Path, name: str, count: int) -> Path:
    """A WARC file of so many pages over three days."""
    return write_warc(
        path,
        (
            Stored(f"https://{name}.example/{n}", page(f"{name} {n}", day=f"2031-03-0{1 + n % 3}"))
            for n in range(count)
        ),
    )


@dataclass(frozen=True, slots=True)
class Read:
    """What `plain` finds on a page."""

    title: str | None
    text: str
    date: str | None
    lang: str | None
    url: str | None
    source: str | None


def plain(html: bytes, url: str | None = None, charset: str | None = None, **_: object) -> Read:
    """A stand-in for the extractor: title, paragraphs and date of `page`, and a line in the file that EXTRACTIONS names."""
    text = html.decode(charset or "utf-8", "replace")
    if ledger := os.environ.get("EXTRACTIONS"):
        with Path(ledger).open("a") as stream:
            stream.write(f"{url}\n")
    title = re.search("<title>(.*?)</title>", text)
    day = re.search(r'published_time" content="(\d{4}-\d\d-\d\d)', text)
    lang = re.search('<html lang="(.*?)"', text)
    return Read(
        title[1] if title else None,
        "\n".join(re.findall("<p>(.*?)</p>", text)),
        day[1] if day else None,
        lang[1] if lang else None,
        url,
        url.split("/")[2] if url else None,
    )


def slow(html: bytes, url: str | None = None, charset: str | None = None, **_: object) -> Read:
    """`plain`, at a hundredth of a second a page."""
    time.sleep(0.01)
    return plain(html, url, charset=charset)


def gated(html: bytes, url: str | None = None, charset: str | None = None, **_: object) -> Read:
    """`slow`, but where GATE names a folder, later shards wait until the file `open` is in it."""
    gate = os.environ.get("GATE")
    while gate and url and url[9] > "3" and not (Path(gate) / "open").exists():
        time.sleep(0.02)
    return slow(html, url, charset=charset)


def hostile(html: bytes, url: str | None = None, charset: str | None = None, **_: object) -> Read:
    """`plain`, but pages that say so crash, hang, loop or raise."""
    if b"KILLS" in html:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"SLEEPS" in html:
        time.sleep(1_000)
    while b"LOOPS" in html:
        try:
            while True:
                pass
        except Exception:  # noqa: BLE001 - as careless parsers do
            continue
    if b"RAISES" in html:
        raise RecursionError("too deep")
    if b"REFUSES" in html:
        raise DataError("no page")
    print("what a library prints goes nowhere near the answers")
    return plain(html, url, charset=charset)
