"""Near-duplicates out of files of articles: a folder of Parquet keeps its partitions and its columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from newsdesk import records
from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.calendar import EventCalendar
from newsdesk.corpus.dedup import ComparedText, digested
from newsdesk.errors import FileError
from newsdesk.files import atomic, make_folder
from newsdesk.registry import require
from newsdesk.types import Article, Event
from newsdesk.work import map_items


def texts_of(
    files: Sequence[ArticleFile], events: Sequence[Event], *, engine: str = "inline"
) -> Iterator[ComparedText]:
    """What is compared of every article, digested file by file; those whose address an event cites are cited."""
    for texts in map_items(engine, _digested_file, EventCalendar(events), files):
        yield from texts


def _digested_file(calendar: EventCalendar, file: ArticleFile) -> list[ComparedText]:
    texts = []
    for batch in file.batches():
        columns = (batch.ids, batch.texts, batch.dates, batch.urls, batch.sources)
        for name, text, day, url, source in zip(*columns, strict=True):
            texts.append(
                digested(ComparedText(name, text, day, bool(calendar.citing(url)), source))
            )
    return texts


def write_without(
    files: Sequence[ArticleFile],
    dropped: Collection[str],
    source: Path,
    out: Path,
    *,
    overwrite: bool,
) -> None:
    """The same files without some articles, under a new folder, or as a new file where the source is one."""
    if not source.is_dir():
        articles = (each for each in records.read(source, Article) if each.id not in dropped)
        records.write(out, articles, overwrite=overwrite)
        return
    if out.exists() and any(out.iterdir()) and not overwrite:
        raise FileError(f"{out}: is not empty; add --force (or overwrite=True) to replace files")
    pl = require("polars", extra="corpus", what="writing Parquet")
    for file in files:
        target = out / file.path.relative_to(source)
        make_folder(target.parent)
        frame = pl.read_parquet(file.path, hive_partitioning=False)
        rest = frame.filter(~pl.col("id").is_in(sorted(dropped)))
        with atomic(target, overwrite=overwrite) as stream:
            rest.write_parquet(stream, compression="zstd", compression_level=3)
