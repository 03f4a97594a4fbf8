"""Pages of WARC and ARC files: responses of status 200 that hold HTML.

WARC is read by fastwarc, which stops at the first record it cannot read. We go on: the next place in the file where a record can begin (the magic
bytes of a compressed member, or a line `WARC/1.`) is looked up and reading starts again there, so that damage costs the
records it touches. A record that ends before its Content-Length is truncated; one whose length reaches into the next record is
broken. Records that are no responses are noted by type.

The offset of a page is the place of its record in the file. A file that was compressed as a whole has no such places: there
offsets count bytes of the uncompressed file, which is noted once.

In ARC, the older format, which we read ourselves, a record is one line, `URL IP date type length`, and as many bytes as it says. A line that is no such
header, or a length that leads nowhere, costs one record; reading goes on at the next line that looks like a header. Offsets count uncompressed bytes.
"""

from __future__ import annotations

import gzip
import io
import itertools
import mmap
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from newsdesk.corpus.pages import (
    BROKEN,
    MAX_BYTES,
    NOT_HTML,
    TRUNCATED,
    CrawledPage,
    LostPage,
    UnreadableError,
    fastwarc_streams,
    html_of,
)
from newsdesk.network import TOO_LARGE
from newsdesk.registry import require

_HEADER = re.compile(
    rb"(?P<url>\S.*) (\S+) (?P<day>\d{8})\d* (?P<type>\S+) (?P<length>-?\w+)\r?\n\Z"
)
_LINE_BYTES = 65_536
_COPY_BYTES = 1 << 20

ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4", ".arc", ".arc.gz")
WHOLE = "files compressed as a whole"
_HEAD_BYTES = 65_536  # room for the HTTP headers beside a body of the largest size
_WARC_LINE = re.compile(rb"WARC/[01]\.\d+\r?\n")
_BLANK = re.compile(rb"\r?\n\r?\n")
_BETWEEN = re.compile(
    rb"\r\n\r\n|[\r\n]*(?:WARC/[01]\.|\Z)"
)  # what follows a record whose length is right
Note = Callable[[str], None]
_DAMAGE = "damage"  # the kind of a place where no record can be read


def read_arc(
    path: str, *, max_bytes: int, note: Callable[[str], None]
) -> Iterator[CrawledPage | LostPage]:
    """Yield every record of an ARC file, plain or gzip, as a page or a loss."""
    with Path(path).open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=raw) if packed else raw)
        yield from _arc_records(stream, max_bytes, note)


def _arc_records(
    stream: IO[bytes], max_bytes: int, note: Callable[[str], None]
) -> Iterator[CrawledPage | LostPage]:
    """Yield every record of an unpacked ARC stream, as a page or a loss."""
    number = position = 0
    try:
        while line := stream.readline(_LINE_BYTES):
            offset, position = position, position + len(line)
            header = _HEADER.match(line)
            if header is None:
                continue
            length = int(header["length"]) if header["length"].isdigit() else -1
            block, read = _block(stream, length, max_bytes)
            position += read
            if header["url"].startswith(b"filedesc://"):
                note("filedesc records")
                continue
            try:
                if read != length:
                    raise UnreadableError(BROKEN if length < 0 else TRUNCATED)
                yield _arc_page(number, offset, header, block, max_bytes)
            except UnreadableError as error:
                yield LostPage(number, offset, error.reason)
            number += 1
    except (EOFError, OSError, zlib.error):
        yield LostPage(number, position, BROKEN)


def _block(stream: IO[bytes], length: int, max_bytes: int) -> tuple[bytes | None, int]:
    """Return the block of a record, None for one beyond the limit, and how many bytes were read."""
    if length <= max_bytes + _LINE_BYTES:
        block = stream.read(max(0, length))
        return block, len(block)
    read = 0
    while read < length and (part := stream.read(min(_COPY_BYTES, length - read))):
        read += len(part)
    return None, read


def _arc_page(
    number: int, offset: int, header: re.Match[bytes], block: bytes | None, max_bytes: int
) -> CrawledPage:
    """Return the page of an ARC record; `UnreadableError` where it is none."""
    if block is None:
        raise UnreadableError(TOO_LARGE)
    if not header["type"].startswith(b"text/html"):
        raise UnreadableError(NOT_HTML)
    html, charset = html_of(block, max_bytes=max_bytes)
    url, day = header["url"].decode("utf-8", "replace"), header["day"].decode("ascii")
    return CrawledPage(
        number, offset, html, url, crawled=f"{day[:4]}-{day[4:6]}-{day[6:]}", charset=charset
    )


@dataclass(frozen=True, slots=True)
class _Packing:
    """A compression: the bytes a member begins with, and fastwarc's reader of it."""

    magic: bytes
    reader: str


_PACKINGS = (
    _Packing(b"\x1f\x8b\x08", "GzipReader"),
    _Packing(b"\x28\xb5\x2f\xfd", "ZstdReader"),
    _Packing(b"\x04\x22\x4d\x18", "Lz4Reader"),
)


@dataclass(frozen=True, slots=True)
class _Record:
    """A WARC record; only a response has a block, None where it is larger than a page may be."""

    kind: str
    offset: int
    length: int = 0
    block: bytes | None = b""
    url: str | None = None
    crawled: str | None = None
    cut: bool = False
    id: str | None = None


def read_pages(
    path: str, *, max_bytes: int = MAX_BYTES, note: Note = lambda what: None
) -> Iterator[CrawledPage | LostPage]:
    """Yield every response of a WARC or ARC file, as a page or a loss; `note` hears of the others."""
    with Path(path).open("rb") as stream:
        packing = _packing(stream.read(4))
        stream.seek(0)
        if _first_bytes(stream, packing).startswith(b"filedesc://"):
            yield from read_arc(path, max_bytes=max_bytes, note=note)
            return
        if packing is not None and not _by_record(stream, packing):
            note(WHOLE)
            records = _to_damage(_Unpacked(stream, packing), max_bytes)
        else:
            records = _around_damage(stream, packing, max_bytes)
        number = 0
        for record in records:
            if record.kind not in ("response", _DAMAGE):
                note(f"{record.kind} records")
                continue
            if record.cut:
                note("responses cut by the crawler")
            yield _page(number, record, max_bytes)
            number += 1


def _page(number: int, record: _Record, max_bytes: int) -> CrawledPage | LostPage:
    """Return the page of a record, or why it is lost."""
    try:
        if record.kind == _DAMAGE:
            raise UnreadableError(BROKEN)
        if record.block is None:
            raise UnreadableError(TOO_LARGE)
        if len(record.block) < record.length:
            raise UnreadableError(TRUNCATED)
        html, charset = html_of(record.block, max_bytes=max_bytes)
    except UnreadableError as error:
        return LostPage(number, record.offset, error.reason)
    return CrawledPage(
        number,
        record.offset,
        html,
        record.url,
        crawled=record.crawled,
        charset=charset,
        record=record.id,
    )


def _around_damage(
    stream: IO[bytes], packing: _Packing | None, max_bytes: int
) -> Iterator[_Record]:
    """Yield the records of a file; a damaged one, or a stretch that is none, is of kind damage."""
    size = os.fstat(stream.fileno()).st_size
    start: int | None = 0 if size else None
    skipped: int | None = None  # where bytes begin that belong to no record
    while start is not None:
        last = None  # offset of the last whole record
        try:
            for record in _records(stream, start, max_bytes):
                if skipped is not None:
                    yield _Record(_DAMAGE, skipped)
                    skipped = None
                if packing is None and not _fits(stream, record):
                    break
                yield record
                last = record.offset
            else:
                if last is not None and packing is not None and _has_stump(stream, last):
                    yield _Record(_DAMAGE, last + 1)
                return
            broken: int | None = record.offset
        except OSError:
            broken = start if last is None else None
        if broken is not None:
            yield _Record(_DAMAGE, broken)
            skipped = None
        elif last is not None:
            skipped = last + 1
        start = _next_start(stream, max(start, last or 0, broken or 0) + 1, packing)
    if skipped is not None:
        yield _Record(_DAMAGE, skipped)


def _fits(stream: IO[bytes], record: _Record) -> bool:
    """Return whether a record of a plain file ends where its length says, or at the end of the file."""
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as view:
        blank = _BLANK.search(view, record.offset)
        end = (blank.end() if blank else len(view)) + record.length
        return end >= len(view) or _BETWEEN.match(view, end) is not None


def _has_stump(stream: IO[bytes], last: int) -> bool:
    """Return whether bytes too few for a record follow the last one of a gzip file."""
    stream.seek(last)
    member = zlib.decompressobj(wbits=31)  # gzip
    try:
        while not member.eof and (part := member.unconsumed_tail or stream.read(_HEAD_BYTES)):
            member.decompress(part, _HEAD_BYTES)
    except zlib.error:  # not gzip
        return False
    return bool(member.unused_data.strip(b"\0") or stream.read(1).strip(b"\0"))


def _to_damage(stream: Any, max_bytes: int) -> Iterator[_Record]:
    """Yield the records of a stream that cannot be entered in the middle, up to the first damage."""
    last = 0
    try:
        for record in _records(stream, None, max_bytes):
            yield record
            last = record.offset
    except OSError:
        yield _Record(_DAMAGE, last + 1)


def _records(stream: Any, start: int | None, max_bytes: int) -> Iterator[_Record]:
    """Yield the records from a place on, up to an `OSError` where fastwarc stops."""
    if start is not None:
        stream.seek(start)
    try:
        for record in _fastwarc().ArchiveIterator(stream, parse_http=False):
            if not record.headers.items():
                raise OSError("a record without headers")
            yield _record(record, max_bytes)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a Rust library's own kind of crash
            raise
        raise OSError(str(error)) from error


def _record(record: Any, max_bytes: int) -> _Record:
    """Return a record of fastwarc as ours; only a response is read."""
    kind, length = str(record.record_type), record.content_length
    if kind != "response":
        return _Record(kind, record.stream_pos, length)
    block = record.reader.read() if length <= max_bytes + _HEAD_BYTES else None
    url = (record.headers.get("WARC-Target-URI") or "").strip().strip("<>")
    date = record.record_date
    return _Record(
        kind,
        record.stream_pos,
        length,
        block,
        url or None,
        crawled=date.date().isoformat() if date else None,
        cut=record.headers.get("WARC-Truncated") is not None,
        id=record.headers.get("WARC-Record-ID"),
    )


def _next_start(stream: IO[bytes], position: int, packing: _Packing | None) -> int | None:
    """Return the first place from `position` on where a record begins."""
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as view:
        if packing is None:
            line = _WARC_LINE.search(view, position)
            return line.start() if line else None
        while (position := view.find(packing.magic, position)) >= 0:
            member = io.BytesIO(view[position : position + _HEAD_BYTES])
            if _first_bytes(member, packing).startswith(b"WARC/"):
                return position
            position += 1
    return None


def _packing(start: bytes) -> _Packing | None:
    return next((packing for packing in _PACKINGS if start.startswith(packing.magic)), None)


class _Unpacked:
    """A compressed stream as a plain one from its beginning, so that offsets count unpacked bytes."""

    def __init__(self, stream: IO[bytes], packing: _Packing) -> None:
        stream.seek(0)
        self._reader = getattr(fastwarc_streams(), packing.reader)(stream)
        self._position = 0

    def read(self, size: int = -1) -> bytes:
        """Return some bytes, none at the end."""
        part: bytes = self._reader.read(size)
        self._position += len(part)
        return part

    def tell(self) -> int:
        """Return the number of bytes read so far."""
        return self._position


def _first_bytes(stream: IO[bytes], packing: _Packing | None) -> bytes:
    """Return the first bytes of a stream, unpacked; none where they are damaged."""
    try:
        unpacked = stream if packing is None else _Unpacked(stream, packing)
        start: bytes = unpacked.read(16)
    except OSError:
        return b""
    return start


def _by_record(stream: IO[bytes], packing: _Packing) -> bool:
    """Return whether each record is a member of its own: the second one begins with magic bytes."""
    try:
        places = [record.offset for record in itertools.islice(_records(stream, 0, 0), 2)]
    except OSError:
        return True
    stream.seek(places[-1] if places else 0)
    return stream.read(len(packing.magic)) == packing.magic


def _fastwarc() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return require("fastwarc.warc", extra="corpus", what="reading WARC files")
