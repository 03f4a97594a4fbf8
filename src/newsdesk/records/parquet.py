"""Articles in bulk as Parquet (zstd, level 3), by polars, in batches so that memory stays flat.

A folder is read as all Parquet files in it and below it, by name: partitions such as `date=2019-05-01/part-1.parquet` are one
file of records. Columns that are no fields of an article are ignored and counted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from newsdesk.errors import DataError, FileError
from newsdesk.files import reason
from newsdesk.registry import require
from newsdesk.types import Article

if TYPE_CHECKING:
    import polars

KIND = Article
_BATCH_ROWS = 5_000


def is_parquet(path: str) -> bool:
    """Return whether a file name says Parquet."""
    return path.endswith(".parquet")


def files_of(path: str) -> list[str] | None:
    """Return the Parquet files that a name stands for: itself, or those of a folder.

    None where there are none.
    """
    folder = Path(path)
    if not folder.is_dir():
        return [path] if is_parquet(path) else None
    files = sorted(
        str(file)
        for file in folder.rglob("*.parquet")
        if not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    return files or None


def column_names(path: str) -> list[str]:
    """Return the names of a file's columns, in order."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    try:
        return list(pl.read_parquet_schema(path))
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    except pl.exceptions.PolarsError as error:
        raise DataError(f"not Parquet: {str(error).splitlines()[0]}", file=path) from error


def read_rows(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row as a JSON object with its number from 1; empty cells are left out."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    number = 0
    try:
        for frame in pl.scan_parquet(path, hive_partitioning=False).collect_batches(
            chunk_size=_BATCH_ROWS
        ):
            for row in frame.iter_rows(named=True):
                number += 1
                yield number, {key: value for key, value in row.items() if value is not None}
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    except pl.exceptions.PolarsError as error:
        raise DataError(f"not Parquet: {str(error).splitlines()[0]}", file=path) from error


def write_articles(stream: IO[bytes], articles: Iterable[Article]) -> int:
    """Write articles to an open file; how many there were."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    schema = {
        field.name: pl.Float64 if field.name == "date_confidence" else pl.String
        for field in dataclasses.fields(Article)
    }
    count = 0

    def frames(*_: object) -> Iterator[polars.DataFrame]:
        nonlocal count
        rest = iter(articles)
        while batch := list(islice(rest, _BATCH_ROWS)):
            count += len(batch)
            for each in batch:
                if not isinstance(each, Article):
                    kind = type(each).__name__
                    raise DataError(f"a .parquet file holds articles, not {kind}")
            columns = {name: [getattr(each, name) for each in batch] for name in schema}
            yield pl.DataFrame(columns, schema=schema)

    from polars.io.plugins import register_io_source

    register_io_source(frames, schema=schema).sink_parquet(
        stream, compression="zstd", compression_level=3, row_group_size=_BATCH_ROWS
    )
    return count
