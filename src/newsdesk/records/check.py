"""Validate a file: read every record, or compare every file of a manifest with its digest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.errors import DataError
from newsdesk.records.kinds import name_of
from newsdesk.records.manifest import changed_files, read_manifest
from newsdesk.records.reader import Reader, read_named


@dataclass(frozen=True, slots=True)
class Checked:
    """The contents of a valid file: its type, format and number of records, of comments the rows rejected for each reason, and notes on how it was read."""

    file: str
    type: str | None
    format: str | None
    records: int
    ignored: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()


def check_file(
    file: str,
    kind: str | None = None,
    format: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    dates: str | None = None,
    progress: Callable[[Reader[Any]], Iterable[Any]] = iter,
) -> Checked:
    """Read a whole file and return what it holds; the first fault is raised. `progress` wraps the reader, for example to draw a bar."""
    if Path(file).name == "manifest.json":
        return _checked_manifest(file)
    reader = read_named(file, kind, format=format, columns=columns, dates=dates)
    for _ in progress(reader):
        pass
    return Checked(
        file=file,
        type=name_of(reader.kind) if reader.kind else None,
        format=reader.format,
        records=reader.count,
        ignored=dict(reader.ignored),
        rejected=dict(reader.account.rejected),
        notes=tuple(reader.account.notes),
    )


def _checked_manifest(file: str) -> Checked:
    for name, reason in changed_files(file):
        raise DataError(f"{name} is not what the manifest says: {reason}", file=file)
    return Checked(file, "manifest", None, len(read_manifest(file).files))
