"""Manifests: the contents of a set of files, how they were made, and whether they have changed since.

A manifest names each file with its sha256, size and number of records, the spec that made it, the seed and the version. It
holds no clock and no host name, so the same inputs give the same manifest.

Validate a file: read every record, or compare every file of a manifest with its digest.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, atomic, reason
from newsdesk.records.kinds import name_of
from newsdesk.records.reader import Reader, read_named
from newsdesk.records.schema import parse_json, schema_of

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """One file of a manifest; its name is relative to the manifest's folder."""

    name: str
    sha256: str
    bytes: int
    records: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents and provenance of a set of files."""

    version: str
    files: tuple[ManifestFile, ...]
    spec: str | None = None
    seed: int | None = None
    format: int = FORMAT


def write_manifest(
    path: str | os.PathLike[str],
    files: Iterable[tuple[str | os.PathLike[str], int | None]],
    *,
    spec: str | None = None,
    seed: int | None = None,
    overwrite: bool = True,
) -> Manifest:
    """Write the manifest of files, each with its number of records, in the order given."""
    from newsdesk import __version__

    folder = Path(path).parent
    entries = tuple(
        ManifestFile(
            os.path.relpath(file, folder), _digest(Path(file)), Path(file).stat().st_size, records
        )
        for file, records in files
    )
    manifest = Manifest(__version__, entries, spec, seed)
    text = json.dumps({"format": FORMAT, **_without_none(asdict(manifest))}, indent=1)
    with atomic(path, overwrite=overwrite) as stream:
        stream.write(text.encode("utf-8") + b"\n")
    return manifest


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """Read and validate a manifest file."""
    name = os.fspath(path)
    try:
        value = parse_json("\n".join(text for _, text in InputFile(name).texts()))
        if isinstance(value, dict) and value.get("format") != FORMAT:
            raise DataError(f"`format` is {value.get('format')!r}; this version reads {FORMAT}")
        manifest: Manifest = schema_of(Manifest).decode(value)
    except DataError as error:
        raise error.at(name, error.line) from None
    return manifest


def changed_files(path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that differ from the manifest, each with the reason."""
    folder = Path(path).parent
    for entry in read_manifest(path).files:
        file = folder / entry.name
        if not file.is_file():
            yield entry.name, "missing"
        elif file.stat().st_size != entry.bytes:
            yield entry.name, f"{file.stat().st_size} bytes, not {entry.bytes}"
        elif _digest(file) != entry.sha256:
            yield entry.name, "its sha256 differs"


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(each) for key, each in value.items() if each is not None}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_without_none(each) for each in value]
    return value


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The contents of a valid file.

    Its type, format and number of records, of comments the rows rejected for each reason, and notes on how it was read.
    """

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
) -> CheckedFile:
    """Read a whole file and return what it holds; the first fault is raised.

    `progress` wraps the reader, for example to draw a bar.
    """
    if Path(file).name == "manifest.json":
        return _checked_manifest(file)
    reader = read_named(file, kind, format=format, columns=columns, dates=dates)
    for _ in progress(reader):
        pass
    return CheckedFile(
        file=file,
        type=name_of(reader.kind) if reader.kind else None,
        format=reader.format,
        records=reader.count,
        ignored=dict(reader.ignored),
        rejected=dict(reader.account.rejected),
        notes=tuple(reader.account.notes),
    )


def _checked_manifest(file: str) -> CheckedFile:
    for name, change in changed_files(file):
        raise DataError(f"{name} is not what the manifest says: {change}", file=file)
    return CheckedFile(file, "manifest", None, len(read_manifest(file).files))
