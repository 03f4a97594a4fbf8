"""WARC records of pages that came from an archive: WARC 1.0, a gzip member for each record, the same bytes for the same page.

The address of a record is the one that was cited and its date the day of the copy, so that `corpus articles` reads the file like a crawl of
those days and `corpus align` knows the pages as cited.
"""

from __future__ import annotations

import gzip
import hashlib
import uuid
from collections.abc import Sequence

from newsdesk.corpus.archive.client import Answer

_STORED = ("content-type", "content-encoding")


def stored_response(answer: Answer) -> bytes:
    """The HTTP response as it is stored: its body as it came, and the headers that say how to read it."""
    lines = [f"HTTP/1.1 {answer.status} {'OK' if answer.status == 200 else 'Other'}"]
    lines += [
        f"{name.title()}: {answer.headers[name]}" for name in _STORED if name in answer.headers
    ]
    head = "\r\n".join([*lines, f"Content-Length: {len(answer.body)}", "", ""])
    return head.encode("utf-8", "replace") + answer.body


def page_record(url: str, timestamp: str, answer: Answer) -> bytes:
    """The record of a page: the cited address, the time of the copy (14 digits), and the response."""
    day, clock = timestamp[:8], timestamp[8:]
    moment = f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}Z"
    return _member(
        [
            ("WARC-Type", "response"),
            ("WARC-Record-ID", _urn(f"{timestamp} {url}")),
            ("WARC-Date", moment),
            ("WARC-Target-URI", url),
            ("Content-Type", "application/http; msgtype=response"),
        ],
        stored_response(answer),
    )


def info_record() -> bytes:
    """The record on the file itself, which comes first."""
    fields = b"software: newsdesk\r\nformat: WARC File Format 1.0\r\n"
    return _member(
        [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", _urn("warcinfo")),
            ("WARC-Date", "1970-01-01T00:00:00Z"),
            ("Content-Type", "application/warc-fields"),
        ],
        fields,
    )


def _member(headers: Sequence[tuple[str, str]], block: bytes) -> bytes:
    lines = ["WARC/1.0", *(f"{name}: {value}" for name, value in headers)]
    head = "\r\n".join([*lines, f"Content-Length: {len(block)}", "", ""]).encode("utf-8", "replace")
    return gzip.compress(head + block + b"\r\n\r\n", compresslevel=6, mtime=0)


def _urn(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16]
    return f"<urn:uuid:{uuid.UUID(bytes=digest, version=4)}>"
