"""Pages of ARC files, the older format of web archives, which fastwarc does not read.

A record is one line, `URL IP date type length`, and as many bytes as it says. A line that is no such header, or a length that
leads nowhere, costs one record; reading goes on at the next line that looks like a header. Offsets count bytes of the
uncompressed file.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from newsdesk.corpus.http import html_of
from newsdesk.corpus.pages import (
    BROKEN,
    NOT_HTML,
    TOO_LARGE,
    TRUNCATED,
    CrawledPage,
    LostPage,
    UnreadableError,
)

_HEADER = re.compile(rb"(\S.*) (\S+) (\d{8})\d* (\S+) (-?\w+)\r?\n\Z")
_LINE_BYTES = 65_536
_COPY_BYTES = 1 << 20


def read_arc(
    path: str, *, max_bytes: int, note: Callable[[str], None]
) -> Iterator[CrawledPage | LostPage]:
    """Every record of an ARC file, plain or gzip, as a page or a loss; the file's own description is only noted."""
    with Path(path).open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=raw) if packed else raw)
        yield from _records(stream, max_bytes, note)


def _records(
    stream: IO[bytes], max_bytes: int, note: Callable[[str], None]
) -> Iterator[CrawledPage | LostPage]:
    number = position = 0
    try:
        while line := stream.readline(_LINE_BYTES):
            offset, position = position, position + len(line)
            header = _HEADER.match(line)
            if header is None:
                continue
            length = int(header[5]) if header[5].isdigit() else -1
            block, read = _block(stream, length, max_bytes)
            position += read
            if header[1].startswith(b"filedesc://"):
                note("filedesc records")
                continue
            try:
                if read != length:
                    raise UnreadableError(BROKEN if length < 0 else TRUNCATED)
                yield _page(number, offset, header, block, max_bytes)
            except UnreadableError as error:
                yield LostPage(number, offset, error.reason)
            number += 1
    except (EOFError, OSError, zlib.error):
        yield LostPage(number, position, BROKEN)


def _block(stream: IO[bytes], length: int, max_bytes: int) -> tuple[bytes | None, int]:
    """The block of a record and how many bytes were read for it; None for one beyond the limit, which is passed over."""
    if length <= max_bytes + _LINE_BYTES:
        block = stream.read(max(0, length))
        return block, len(block)
    read = 0
    while read < length and (part := stream.read(min(_COPY_BYTES, length - read))):
        read += len(part)
    return None, read


def _page(
    number: int, offset: int, header: re.Match[bytes], block: bytes | None, max_bytes: int
) -> CrawledPage:
    if block is None:
        raise UnreadableError(TOO_LARGE)
    if not header[4].startswith(b"text/html"):
        raise UnreadableError(NOT_HTML)
    html, charset = html_of(block, max_bytes=max_bytes)
    url, day = header[1].decode("utf-8", "replace"), header[3].decode("ascii")
    return CrawledPage(number, offset, html, url, f"{day[:4]}-{day[4:6]}-{day[6:]}", charset)
