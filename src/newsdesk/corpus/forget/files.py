"""The files of a folder by what is in them: JSONL, JSON, Parquet, WARC, SQLite, and all others, of which only the bytes are looked at.

Reading gives the records of a file, whoever wrote it. Writing gives a new version of the file without what is forgotten; a file of another kind
in which something of it is found is left out as a whole.
"""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.corpus.forget import databases, warcs
from newsdesk.corpus.forget.databases import GONE, Scrubber
from newsdesk.corpus.forget.targets import Record
from newsdesk.corpus.partitions import explained_write
from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, atomic, reason
from newsdesk.jsonl import json_value
from newsdesk.records.tables import parquet_objects
from newsdesk.registry import require

PAGES = (".html", ".htm", ".xhtml")
LINES = (".jsonl", ".jsonl.gz", ".ndjson")


@dataclass(frozen=True, slots=True)
class ForgetOutcome:
    """What became of a file: records removed and changed; `dropped` if it was left out as a whole."""

    name: str
    kind: str
    removed: int = 0
    changed: int = 0
    dropped: bool = False


def kind_of(path: Path) -> str:
    """Return what a file is, by its name or its first bytes."""
    name = path.name.lower()
    if name.endswith(LINES):
        return "lines"
    if name.endswith((".json", ".json.gz")):
        return "json"
    if name.endswith(warcs.ENDINGS):
        return "warc"
    if name.endswith(PAGES):
        return "page"
    if name.endswith(databases.SIDE_FILES) and databases_side(path):
        return "side"
    with path.open("rb") as stream:
        start = stream.read(16)
    if start.startswith(b"PAR1"):
        return "parquet"
    return "database" if start == databases.MAGIC else "other"


def databases_side(path: Path) -> bool:
    """Return whether a file belongs to a database beside it: its log, its index of the log, its journal."""
    for ending in databases.SIDE_FILES:
        base = path.with_name(path.name.removesuffix(ending))
        if base != path and base.is_file() and databases.is_database(base):
            return True
    return False


def records_of(
    path: Path, *, skip: Callable[[Record], bool] = lambda record: False
) -> Iterator[Record]:
    """Yield the JSON objects, rows and pages of a file, at any depth; none for files of other kinds.

    Objects for which `skip` is true are left out with all that is inside them.
    """
    kind = kind_of(path)
    if kind == "lines":
        for _, value in _lines(path):
            yield from _inside(value, skip)
    elif kind == "json":
        yield from _inside(_json(path), skip)
    elif kind == "parquet":
        for _, row in parquet_objects(str(path)):
            yield from _inside(row, skip)
    elif kind == "database":
        for row in databases.rows_of(path):
            yield from _inside(row, skip)
    elif kind == "page":
        article = warcs.article_of_page(path.read_bytes())
        if article is not None and not skip(article):
            yield article
    elif kind == "warc":
        for record in warcs.read_records(path):
            page = {"url": record.url or None, **_page(record)}
            if not skip(page):
                yield page


def _page(record: warcs.WarcRecord) -> dict[str, Any]:
    """Return the page of a WARC record, with both of its addresses."""
    article = warcs.article_of(record)
    return {"page": article, **article, "url": record.url} if article else {}


def _inside(value: Any, skip: Callable[[Record], bool]) -> Iterator[Record]:
    """Yield an object and all objects inside it, at any depth, except those that `skip` names."""
    if isinstance(value, dict):
        if skip(value):
            return
        yield value
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from _inside(item, skip)


def write_without(source: Path, target: Path, name: str, scrubber: Scrubber) -> ForgetOutcome:
    """Write the new version of a file; one that cannot be cleaned is left out as a whole.

    `name` is its path in the folder, for the outcome.
    """
    kind = kind_of(source)
    removed = changed = 0
    if scrubber.finder.is_in(name.encode()):
        return ForgetOutcome(name, kind, dropped=True)
    if kind == "lines":
        removed, changed = _write_lines(source, target, scrubber)
    elif kind == "parquet":
        removed, changed = _write_parquet(source, target, scrubber)
    elif kind == "warc":
        removed, changed = warcs.write_without(source, target, scrubber.targets, scrubber.finder)
    elif kind == "database":
        counts = databases.write_without(source, target, scrubber)
        if counts is None:
            return ForgetOutcome(name, kind, dropped=True)
        removed, changed = counts
    elif kind == "json":
        return _write_json(source, target, name, scrubber)
    elif kind == "page":
        return _write_page(source, target, name, scrubber)
    elif kind == "side" or _holds(source, scrubber):
        return ForgetOutcome(name, kind, dropped=True)
    else:
        with source.open("rb") as whole, atomic(target, packed=True) as stream:
            shutil.copyfileobj(whole, stream)
    return ForgetOutcome(name, kind, removed, changed)


def _lines(path: Path) -> Iterator[tuple[bytes, Any]]:
    """Yield each line with its JSON value; a broken one, as a killed writer leaves it, with its text."""
    for _, line in InputFile(path).lines():
        try:
            yield line, json_value(line)
        except ValueError:
            yield line, line.decode("utf-8", "replace")


def _write_lines(source: Path, target: Path, scrubber: Scrubber) -> tuple[int, int]:
    """Write the lines without what is forgotten; return how many were removed and changed."""
    removed = changed = 0
    with atomic(target) as stream:
        for line, value in _lines(source):
            if isinstance(value, str) and scrubber.finder.is_in(line):
                rest: Any = GONE
            else:
                rest = scrubber.scrub(value)
            if rest is GONE:
                removed += 1
                continue
            if rest == value:
                stream.write(line + b"\n")
            else:
                changed += 1
                stream.write(json.dumps(rest, ensure_ascii=False).encode("utf-8") + b"\n")
    return removed, changed


def _write_parquet(source: Path, target: Path, scrubber: Scrubber) -> tuple[int, int]:
    """Write the rows without what is forgotten; return how many were removed and changed."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    try:
        frame = pl.read_parquet(source, hive_partitioning=False)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"not Parquet: {str(error).splitlines()[0]}", file=str(source)) from error
    rows, removed, changed = [], 0, 0
    for row in frame.iter_rows(named=True):
        rest = scrubber.scrub(row)
        if rest is GONE:
            removed += 1
            continue
        changed += rest != row
        rows.append(rest)
    if not removed and not changed:
        shutil.copyfile(source, target)
        return 0, 0
    smaller = pl.DataFrame(rows, schema=frame.schema, orient="row")
    with atomic(target) as stream, explained_write(target):
        smaller.write_parquet(stream, compression="zstd", compression_level=3)
    return removed, changed


def _json(path: Path) -> Any:
    """Return the value of a JSON file; None where it is broken."""
    try:
        return json_value(b"\n".join(line for _, line in InputFile(path).lines()))
    except ValueError:
        return None


def _write_json(source: Path, target: Path, name: str, scrubber: Scrubber) -> ForgetOutcome:
    """Write a JSON file without what is forgotten, or leave it out if nothing stays."""
    value = _json(source)
    rest = scrubber.scrub(value)
    if rest is GONE or (value is None and _holds(source, scrubber)):
        return ForgetOutcome(name, "json", dropped=True)
    if rest == value:
        shutil.copyfile(source, target)
        return ForgetOutcome(name, "json")
    with atomic(target) as stream:
        stream.write(json.dumps(rest, ensure_ascii=False, indent=1).encode("utf-8") + b"\n")
    return ForgetOutcome(name, "json", changed=1)


def _write_page(source: Path, target: Path, name: str, scrubber: Scrubber) -> ForgetOutcome:
    """Write a page without links to what is forgotten; leave it out if its article is forgotten."""
    page = source.read_bytes()
    article = warcs.article_of_page(page)
    forgotten = article is not None and scrubber.targets.match(article)
    blanked = warcs.blanked_page(page, scrubber.targets, scrubber.finder)
    if forgotten or blanked is None or scrubber.finder.is_in(blanked):
        return ForgetOutcome(name, "page", dropped=True)
    with atomic(target) as stream:
        stream.write(blanked)
    return ForgetOutcome(name, "page", changed=int(blanked != page))


def _holds(path: Path, scrubber: Scrubber) -> bool:
    """Return whether the bytes of a file, or of the files packed in it, show something that is forgotten."""
    return any(scrubber.finds(data) for data in _unpacked(path))


def _unpacked(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, then those of the files packed in it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    yield data
    try:
        if data.startswith(b"\x1f\x8b"):
            yield gzip.decompress(data)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield from (archive.read(name) for name in archive.namelist())
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
        return
