"""Articles in bulk for alignment: folders of Parquet by date, single Parquet files, or JSONL, read in batches and as often as needed.

First only the columns that decide are read; later the chosen rows whole. Files are read in order of their dates, then of their names. Articles that are
dropped (near-duplicates) are passed over everywhere, so that no file without them has to be written.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from newsdesk import records
from newsdesk.addresses import fetch, is_address, listing
from newsdesk.corpus.align.candidates import ArticleBatch
from newsdesk.corpus.align.features import EventCalendar
from newsdesk.errors import DataError, FileError
from newsdesk.files import reason
from newsdesk.records.schema import schema_of
from newsdesk.registry import require
from newsdesk.types import Article
from newsdesk.work import Digests

if TYPE_CHECKING:
    import polars

CitedRows = Mapping[int, tuple[int, ...]]  # row of a file → places of the events that cite it
BATCH_ROWS = 2_000
_PARTITION = re.compile(r"date=(\d{4}-\d{2}-\d{2}|unknown)")
_FIELDS = tuple(field.name for field in fields(Article))


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """One file of articles; `date` is the day of its partition, for rows that have none of their own.

    Articles whose ids are `dropped` are as if they were not there: rows are counted without them.
    """

    path: Path
    date: str | None = None
    dropped: frozenset[str] = frozenset()
    address: str | None = None  # where the file lies, if not on this machine
    state: str | None = None  # what its store says about the version of a file at an address

    def batches(self) -> Iterator[ArticleBatch]:
        """Yield the columns that alignment decides on."""
        if self.path.suffix != ".parquet":
            rest = self._records()
            while rows := list(islice(rest, BATCH_ROWS)):
                yield ArticleBatch.of(rows)
            return
        for frame in self._frames(("id", "title", "text", "url", "date", "source")):
            yield ArticleBatch(
                frame["id"].to_list(),
                [title or "" for title in frame["title"].to_list()],
                frame["text"].to_list(),
                frame["url"].to_list(),
                [day or self.date for day in frame["date"].to_list()],
                frame["source"].to_list(),
            )

    def articles(self, rows: Collection[int]) -> Iterator[tuple[int, Article]]:
        """Yield the articles of some rows, counted from 0 over the whole file, in order."""
        wanted = frozenset(rows)
        if self.path.suffix != ".parquet":
            for row, article in enumerate(self._records()):
                if row in wanted:
                    yield row, article
            return
        schema, first_row = schema_of(Article), 0
        for frame in self._frames(_FIELDS):
            chosen_rows = [row for row in range(first_row, first_row + len(frame)) if row in wanted]
            picked = frame[[row - first_row for row in chosen_rows]]
            for row, cells in zip(chosen_rows, picked.iter_rows(named=True), strict=True):
                if cells["date"] is None:
                    cells["date"] = self.date
                try:
                    yield row, schema.decode(cells)
                except DataError as error:
                    raise error.at(str(self.path), row + 1) from None
            first_row += len(frame)

    def key(self, digests: Digests) -> str:
        """Return a key that changes with the file's content: its address and state, or its digest."""
        return f"{self.address} {self.state}" if self.address else digests.of(self.path)

    def columns(self, *names: str) -> Iterator[tuple[str | None, ...]]:
        """Yield some columns of text of all articles, in order of rows; the others are not read."""
        if self.path.suffix != ".parquet":
            for article in self._records():
                yield tuple(getattr(article, name) for name in names)
            return
        for frame in self._frames(("id", *(name for name in names if name != "id"))):
            yield from frame.select(names).iter_rows()

    def _records(self) -> Iterator[Article]:
        with self.local() as path:
            for article in records.read(path, Article):
                if article.id not in self.dropped:
                    yield article

    def _frames(self, columns: tuple[str, ...]) -> Iterator[polars.DataFrame]:
        with self.local() as path:
            yield from self._frames_of(path, columns)

    @contextmanager
    def local(self) -> Iterator[Path]:
        """Yield the file on this machine: itself, or a copy for as long as it is needed."""
        if self.address is None:
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="newsdesk-") as folder:
            copy = Path(folder) / self.path.name
            fetch(self.address, copy)
            yield copy

    def _frames_of(self, path: Path, columns: tuple[str, ...]) -> Iterator[polars.DataFrame]:
        """Yield batches of rows without the dropped ones; a column that the file lacks is null."""
        pl = require("polars", extra="corpus", what="reading Parquet")
        try:
            scan = pl.scan_parquet(path, hive_partitioning=False)
            present = scan.collect_schema().names()
            for needed in ("id", "text"):
                if needed not in present:
                    raise DataError(f"no column `{needed}`", file=str(self.path))
            absent = [
                pl.lit(None, pl.String).alias(name) for name in columns if name not in present
            ]
            chosen = scan.select([name for name in columns if name in present])
            if self.dropped:
                chosen = chosen.filter(~pl.col("id").is_in(sorted(self.dropped)))
            for frame in chosen.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True):
                yield frame.with_columns(absent)
        except OSError as error:
            raise FileError(f"{self.path}: {reason(error)}") from error
        except pl.exceptions.PolarsError as error:
            message = str(error).splitlines()[0]
            raise DataError(f"not Parquet: {message}", file=str(self.path)) from error


def article_files(path: str | Path) -> list[ArticleFile]:
    """Return the files of a folder, by date (`date=2019-05-01/part-*.parquet`) or plain, or one file."""
    if is_address(path):
        return _files_at(str(path))
    where = Path(path)
    if where.is_dir():
        files = [file for file in where.rglob("*.parquet") if not file.name.startswith(".")]
        return _ordered(ArticleFile(file, _partition(file)) for file in files)
    if not where.exists():
        raise FileError(f"{where}: no such file or folder of articles")
    if not where.is_file():
        raise FileError(f"{where}: articles are read twice; name a file or a folder, not a pipe")
    return [ArticleFile(where)]


def cited_rows(file: ArticleFile, calendar: EventCalendar) -> CitedRows:
    """Return the rows of a file that some event cites, each with the places of these events."""
    cited = ((row, calendar.citing(url)) for row, (url,) in enumerate(file.columns("url")))
    return {row: events for row, events in cited if events}


def cited_in(files: Iterable[ArticleFile], cited: Iterable[CitedRows]) -> Iterator[Article]:
    """Yield the cited articles of files; `cited` holds the rows of each."""
    for file, rows in zip(files, cited, strict=True):
        if rows:
            yield from (article for _, article in file.articles(rows))


def _files_at(address: str) -> list[ArticleFile]:
    """Return the Parquet files below an address, by date."""
    files = []
    for name, size, state in listing(address):
        path = Path(name.partition("://")[2])
        if path.suffix == ".parquet":
            version = f"{size} {state}"
            files.append(ArticleFile(path, _partition(path), address=name, state=version))
    if not files:
        raise FileError(f"{address}: no folder of Parquet files there")
    return _ordered(files)


def _ordered(files: Iterable[ArticleFile]) -> list[ArticleFile]:
    return sorted(files, key=lambda file: (file.date or "~", str(file.path)))


def _partition(path: Path) -> str | None:
    match = _PARTITION.fullmatch(path.parent.name)
    return match[1] if match and match[1] != "unknown" else None
