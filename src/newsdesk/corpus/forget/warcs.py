"""WARC files without the pages that are forgotten: every other record is copied as it stands.

A record goes if its address, or the address, id or author that its page shows when extracted, is to be forgotten. A page that stays but links to a
forgotten one is stored anew with the link blanked out, its body decoded and its digests left out; a page that still has words of the
forgotten one after that goes too. Damaged stretches are not copied: nobody can say what is in them.
"""

from __future__ import annotations

import gzip
import html
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from newsdesk.corpus.extract import extract
from newsdesk.corpus.forget.targets import Finder, Record, Targets
from newsdesk.corpus.pages import (
    MAX_BYTES,
    UnreadableError,
    article_id,
    decoded,
    html_of,
    parse_response,
)
from newsdesk.errors import PageError
from newsdesk.files import atomic

ENDINGS = (".warc", ".warc.gz")
_HEAD = re.compile(rb"WARC/[01]\.\d+\r?\n(.*?)\r?\n\r?\n", re.DOTALL)
_TAGS = re.compile(rb"<[^>]*>")
_CHUNK_BYTES = 1 << 16
_DIGESTS = ("warc-block-digest", "warc-payload-digest")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record: its header fields in order, its block, and all its bytes (uncompressed)."""

    fields: tuple[tuple[str, str], ...]
    block: bytes
    raw: bytes

    @property
    def headers(self) -> Mapping[str, str]:
        """The header fields by lower-cased name."""
        return {name.lower(): value for name, value in self.fields}

    @property
    def url(self) -> str:
        """The address of the record, empty where it has none."""
        return self.headers.get("warc-target-uri", "").strip("<> ")


def read_records(path: Path) -> Iterator[WarcRecord]:
    """Yield the whole records of a WARC file, plain or compressed; damaged stretches are passed over."""
    with path.open("rb") as stream:
        data = _plain(stream)
    position = 0
    while (head := _HEAD.search(data, position)) is not None:
        fields = tuple(_field(line) for line in head[1].split(b"\n"))
        length = {name.lower(): value for name, value in fields}.get("content-length", "")
        end = head.end() + (int(length) if length.isdecimal() else 0)
        if not length.isdecimal() or end > len(data):
            position = head.start() + 5  # behind this `WARC/`
            continue
        yield WarcRecord(fields, data[head.end() : end], data[head.start() : end])
        position = end


def _plain(stream: IO[bytes]) -> bytes:
    """Return the bytes of a file, unpacked as far as they can be, member by member."""
    packed = stream.read()
    if not packed.startswith(b"\x1f\x8b"):
        return packed
    parts: list[bytes] = []
    position = 0
    while (position := packed.find(b"\x1f\x8b\x08", position)) >= 0:
        end = _unpack(packed, position, parts)
        position = end if end is not None else position + 1
    return b"".join(parts)


def _unpack(packed: bytes, position: int, parts: list[bytes]) -> int | None:
    """Append the unpacked gzip member at a position to `parts`; return its end, None if damaged."""
    member = zlib.decompressobj(wbits=31)  # gzip
    unpacked: list[bytes] = []
    try:
        while not member.eof and position < len(packed):
            unpacked.append(member.decompress(packed[position : position + _CHUNK_BYTES]))
            position += _CHUNK_BYTES
    except zlib.error:
        return None
    if not member.eof:
        return None
    parts += unpacked
    return min(position, len(packed)) - len(member.unused_data)


def _field(line: bytes) -> tuple[str, str]:
    name, _, value = line.decode("utf-8", "replace").strip().partition(":")
    return name.strip(), value.strip()


def article_of(record: WarcRecord) -> Record | None:
    """Return the article that the page of a record holds; None for records that hold no readable page."""
    if record.headers.get("warc-type") not in ("response", "resource"):
        return None
    try:
        page, charset = _page(record)
    except UnreadableError:
        return None
    return article_of_page(page, record.url or None, charset)


def article_of_page(
    page: bytes, url: str | None = None, charset: str | None = None
) -> Record | None:
    """Return the article of an HTML page; None where it cannot be read."""
    try:
        article = extract(page, url, charset=charset)
    except PageError:
        return None
    except Exception:  # noqa: BLE001 - parsers raise anything on hostile pages
        return None
    return {
        "id": article_id(article.url, article.text),
        "url": article.url,
        "author": article.author,
        "source": article.source,
        "title": article.title,
        "text": article.text,
    }


def _page(record: WarcRecord) -> tuple[bytes, str | None]:
    if record.headers.get("warc-type") == "resource":
        return record.block, None
    return html_of(record.block, max_bytes=MAX_BYTES)


def write_without(source: Path, target: Path, targets: Targets, finder: Finder) -> tuple[int, int]:
    """Write a WARC file without what is forgotten; return how many records were removed and changed."""
    removed = changed = 0
    with atomic(target, packed=True) as stream:
        for record in read_records(source):
            rest = _without(record, targets, finder)
            if rest is None:
                removed += 1
                continue
            changed += rest is not record.raw
            _write(stream, rest, packed=target.name.endswith(".gz"))
    return removed, changed


def _without(record: WarcRecord, targets: Targets, finder: Finder) -> bytes | None:
    """Return the bytes of a record without what is forgotten; None if it goes as a whole."""
    if any(targets.has_url(value) for _, value in record.fields if "/" in value):
        return None
    article = article_of(record)
    if article is not None and targets.match(article):
        return None
    body = _decoded(record)
    blanked = blanked_page(body, targets, finder)
    if blanked is None:
        return None
    return record.raw if blanked == body else _stored(record, blanked)


def blanked_page(page: bytes, targets: Targets, finder: Finder) -> bytes | None:
    """Return a page without links to what is forgotten; None if it still has words of it."""
    blanked = finder.blank_bytes(page)
    return None if targets.in_text(_shown(blanked)) else blanked


def _decoded(record: WarcRecord) -> bytes:
    """Return the block with the encodings of its body undone, so that what is in it can be seen."""
    if record.headers.get("warc-type") != "response":
        return record.block
    try:
        response = parse_response(record.block)
        body = decoded(response, max_bytes=MAX_BYTES)
    except UnreadableError:
        return record.block
    head = record.block[: len(record.block) - len(response.body)]
    return head + body


def _shown(body: bytes) -> str:
    return html.unescape(_TAGS.sub(b" ", body).decode("utf-8", "replace"))


def _stored(record: WarcRecord, block: bytes) -> bytes:
    """Return a record with another block, without digests and headers of the body's encoding."""
    head, blank, body = block.partition(b"\r\n\r\n")
    if record.headers.get("warc-type") == "response" and blank:
        dropped = (b"content-encoding:", b"transfer-encoding:", b"content-length:", b"etag:")
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(dropped)]
        lines.append(b"Content-Length: %d" % len(body))
        block = b"\r\n".join(lines) + blank + body
    fields = [
        (name, str(len(block)) if name.lower() == "content-length" else value)
        for name, value in record.fields
        if name.lower() not in _DIGESTS
    ]
    version = record.raw.partition(b"\n")[0].strip()
    rows = [version, *(f"{name}: {value}".encode() for name, value in fields)]
    return b"\r\n".join(rows) + b"\r\n\r\n" + block


def _write(stream: BinaryIO, record: bytes, *, packed: bool) -> None:
    """Write a record, as a gzip member of its own if `packed`."""
    whole = record + b"\r\n\r\n"
    if not packed:
        stream.write(whole)
        return
    member = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=member, mtime=0) as out:
        out.write(whole)
    stream.write(member.getvalue())
