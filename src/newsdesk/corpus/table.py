"""The columns of an articles folder, and tables as Parquet with the same bytes for the same rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from newsdesk.errors import FileError
from newsdesk.files import atomic
from newsdesk.registry import require
from newsdesk.types import Article

if TYPE_CHECKING:
    import polars

ARTICLE_FIELDS = tuple(field.name for field in fields(Article))
_GROUP_ROWS = 5_000


def columns() -> dict[str, Any]:
    """The fields of an article, then the file and offset of its page, each with its type."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    types = {
        name: pl.Float64 if name == "date_confidence" else pl.String for name in ARTICLE_FIELDS
    }
    return {**types, "file": pl.String, "offset": pl.Int64}


@contextmanager
def explained_write(path: str | os.PathLike[str]) -> Iterator[None]:
    """A failed write of polars (a full disk) as one line: polars hides the reason behind an error of its own."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    try:
        yield
    except pl.exceptions.ComputeError as error:
        first = str(error).splitlines()[0]
        raise FileError(
            f"{os.fspath(path)}: cannot be written ({first}); is the disk full?"
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
