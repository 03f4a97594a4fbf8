"""Everything that can be read in the files of a folder, by means of its own: gzip members, Parquet cells, WARC bodies, database pages."""

from __future__ import annotations

import html
import io
import json
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from warcio.archiveiterator import ArchiveIterator


def readable(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file with every text that can be decoded from it; databases also as their raw pages, with log and free list."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            for text in _texts(path):
                yield name, text


def _texts(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    yield _text(data)
    yield path.name
    if data.startswith(b"\x1f\x8b"):
        for member in _members(data):
            yield _text(member)
    if data.startswith(b"PAR1"):
        for row in pl.read_parquet(path, hive_partitioning=False).iter_rows(named=True):
            yield _text(json.dumps(row, ensure_ascii=False, default=str).encode())
    if ".warc" in path.name:
        for record in ArchiveIterator(io.BytesIO(data)):
            yield _text(record.rec_headers.to_str().encode())
            yield _text(record.content_stream().read())
    if data.startswith(b"PK"):
        with zipfile.ZipFile(path) as archive:
            for each in archive.namelist():
                yield _text(archive.read(each))
    if data.startswith(b"SQLite format 3"):
        # Immutable: opened in the usual way it would take its log in and remove it.
        with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as base:
            yield "\n".join(base.iterdump())
        base.close()


def _members(data: bytes) -> Iterator[bytes]:
    while data:
        member = zlib.decompressobj(31)
        yield member.decompress(data)
        data = member.unused_data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def plain(text: str) -> str:
    """The words of a text or a page, lower-cased, between single spaces.

    A tag begins with a letter and is short: a random `<` among the bytes of a database must not hide what follows it.
    """
    shown = html.unescape(re.sub(r"</?[a-zA-Z!][^<>]{0,300}>|\\[nrt]", " ", text))
    return " ".join(re.findall(r"[^\W_]+", shown.lower()))
