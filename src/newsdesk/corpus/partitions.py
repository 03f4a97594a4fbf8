"""Rows of shards become the partitions `date=YYYY-MM-DD/part-*.parquet` of an articles folder.

A plan says which rows of which shards go into each partition: those that pass the filters, and of rows with one id the first
(in the order of the shards' names). The name of a partition's file holds a digest of its plan, so a file that is there is
complete and up to date, and a new shard changes only the days it has articles of. Articles without a date are in
`date=unknown`. Tables are written with the same bytes for the same rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsdesk.corpus.tally import Accounts
from newsdesk.errors import ArgumentError, FileError
from newsdesk.files import atomic, make_folder
from newsdesk.registry import require
from newsdesk.types import Article
from newsdesk.work import digest_of

if TYPE_CHECKING:
    import polars

ARTICLE_FIELDS = tuple(field.name for field in fields(Article))
_GROUP_ROWS = 5_000

UNKNOWN = "unknown"
_BATCH_ROWS = 20_000  # of the partitions written in one pass over the shards


def columns() -> dict[str, Any]:
    """Return the fields of an article, then the file and offset of its page, each with its type."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    types = {
        name: pl.Float64 if name == "date_confidence" else pl.String for name in ARTICLE_FIELDS
    }
    return {**types, "file": pl.String, "offset": pl.Int64}


@contextmanager
def explained_write(path: str | os.PathLike[str]) -> Iterator[None]:
    """Explain a failed write of polars (a full disk) in one line; polars hides the reason."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    try:
        yield
    except pl.exceptions.ComputeError as error:
        message = str(error).splitlines()[0]
        raise FileError(
            f"{os.fspath(path)}: cannot be written ({message}); is the disk full?"
        ) from error


def write_table(path: str | os.PathLike[str], table: polars.DataFrame) -> None:
    """Write a table as Parquet (zstd, level 3), atomically."""
    with atomic(path) as stream, explained_write(path):
        table.write_parquet(
            stream,
            compression="zstd",
            compression_level=3,
            row_group_size=_GROUP_ROWS,
            statistics=True,
        )


@dataclass(frozen=True, slots=True)
class Filters:
    """Which articles stay; a limit on dates drops undated ones, an outlet stands for hosts below it."""

    languages: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    outlets: tuple[str, ...] = ()
    min_characters: int = 0
    max_characters: int | None = None


@dataclass(frozen=True, slots=True)
class ExtractedShard:
    """A finished shard: its file of rows, and the key of all that made it."""

    path: Path
    key: str


def plan(
    shards: Sequence[ExtractedShard], filters: Filters, accounts: Accounts
) -> polars.DataFrame:
    """Return the rows that stay, as (shard, row, date) in that order; every other row is counted."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    needed = ["id", "date", "lang", "source", "characters"]
    tables = [
        pl.read_parquet(shard.path, columns=needed, row_index_name="row").with_columns(
            shard=pl.lit(number, pl.UInt32)
        )
        for number, shard in enumerate(shards)
    ]
    rows: polars.DataFrame = pl.concat([_no_rows(needed), *tables])
    for reason, test in _tests(filters):
        remaining = rows.filter(test.fill_null(False))
        accounts.drop(reason, rows.height - remaining.height)
        rows = remaining
    remaining = rows.unique("id", keep="first", maintain_order=True)
    accounts.drop("same id", rows.height - remaining.height)
    accounts.keep(remaining.height)
    days = remaining.with_columns(pl.col("date").fill_null(UNKNOWN))
    return days.select("shard", "row", "date").sort("date", "shard", "row")


def _no_rows(needed: Sequence[str]) -> polars.DataFrame:
    """Return a table without rows, so that there is one even where there is no shard."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    types = {name: pl.Int64 if name == "characters" else pl.String for name in needed}
    table: polars.DataFrame = pl.DataFrame(schema={"row": pl.UInt32, **types, "shard": pl.UInt32})
    return table


def _tests(filters: Filters) -> Iterator[tuple[str, Any]]:
    """Yield each filter in use: the reason of those that fail it, and what passes."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    if filters.languages:
        yield "language", pl.col("lang").str.split("-").list.first().is_in(list(filters.languages))
    if filters.since or filters.until:
        yield "no date", pl.col("date").is_not_null()
        first, last = filters.since or "", filters.until or "9999-12-31"
        yield "date", pl.col("date").is_between(pl.lit(first), pl.lit(last))
    if filters.outlets:
        hosts = [host.lower().removeprefix("www.") for host in filters.outlets]
        source = pl.col("source").str.to_lowercase().str.strip_prefix("www.")
        below = [source.str.ends_with(f".{host}") for host in hosts]
        yield "outlet", pl.any_horizontal(source.is_in(hosts), *below)
    if filters.min_characters:
        yield "too short", pl.col("characters") >= filters.min_characters
    if filters.max_characters is not None:
        yield "too long", pl.col("characters") <= filters.max_characters


def write_partitions(
    folder: Path, shards: Sequence[ExtractedShard], rows: polars.DataFrame
) -> dict[str, int]:
    """Bring the partitions of a folder up to date; return their files, each with its articles."""
    wanted = {
        f"date={day}/part-{_digest(shards, part)}.parquet": part
        for (day,), part in rows.partition_by("date", as_dict=True, maintain_order=True).items()
    }
    missing = [(name, part) for name, part in wanted.items() if not (folder / name).is_file()]
    for batch in _batches(missing):
        _write_batch(folder, shards, batch)
    _remove_others(folder, set(wanted))
    return {name: part.height for name, part in sorted(wanted.items())}


def _digest(shards: Sequence[ExtractedShard], part: polars.DataFrame) -> str:
    """Return a digest of the shards and rows that a partition is made of."""
    by_shard = part.partition_by("shard", as_dict=True, maintain_order=True)
    return digest_of(
        [[shards[number].key, rows["row"].to_list()] for (number,), rows in by_shard.items()]
    )[:16]


def _batches(
    parts: Sequence[tuple[str, polars.DataFrame]],
) -> Iterator[list[tuple[str, polars.DataFrame]]]:
    """Yield runs of named partitions, each of at least `_BATCH_ROWS` rows but the last."""
    batch: list[tuple[str, polars.DataFrame]] = []
    for part in parts:
        batch.append(part)
        if sum(rows.height for _, rows in batch) >= _BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _write_batch(
    folder: Path, shards: Sequence[ExtractedShard], batch: Sequence[tuple[str, polars.DataFrame]]
) -> None:
    """Write some partitions, by name, with one pass over the shards they need."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    rows = pl.concat([part for _, part in batch])
    tables = []
    for (number,), part in rows.partition_by("shard", as_dict=True, maintain_order=True).items():
        days = [None if day == UNKNOWN else day for day in part["date"].unique().to_list()]
        table = (
            pl.scan_parquet(shards[number].path, row_index_name="row")
            .filter(pl.col("date").is_in(days, nulls_equal=True))
            .collect()
            .join(part.select("row", day="date"), on="row", how="inner")
        )
        tables.append(table.with_columns(shard=pl.lit(number, pl.UInt32)))
    table = pl.concat(tables).sort("day", "shard", "row")
    for name, part in batch:
        day = part["date"][0]  # a partition has one
        make_folder(folder / f"date={day}")
        write_table(folder / name, table.filter(pl.col("day") == day).select(list(columns())))


def _remove_others(folder: Path, wanted: set[str]) -> None:
    """Delete the partitions of an earlier plan, after those of this one are complete."""
    for day in sorted(folder.glob("date=*")):
        for path in day.iterdir():
            if f"{day.name}/{path.name}" not in wanted:
                path.unlink()
        if not any(day.iterdir()):
            day.rmdir()


def check_filters(filters: Filters) -> None:
    """Refuse limits that nothing can pass."""
    first, last = filters.since or "", filters.until or "9999-12-31"
    if first > last:
        raise ArgumentError(f"no date lies from {first} to {last}; swap them")
    longest = filters.max_characters
    if longest is not None and longest < filters.min_characters:
        raise ArgumentError(
            f"no text has at least {filters.min_characters} and at most {longest} characters"
        )
