"""Writing records atomically, the same bytes for the same records; and manifests, which say what a set of files holds and whether it changed.

A manifest names each file with its sha256, size and number of records, the spec that made it, the seed and the version. It
holds no clock and no host name, so the same inputs give the same manifest. `check_file` validates: it reads every record, or compares every file of a manifest with its digest.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, atomic, file_digest
from newsdesk.jsonl import json_text
from newsdesk.records.foreign import format_of
from newsdesk.records.kinds import Seen, key_of, name_of
from newsdesk.records.reader import Reader, read_named
from newsdesk.records.schema import Json, parse_json, schema_of
from newsdesk.records.tables import is_parquet, write_articles
from newsdesk.types import Ranked

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
            os.path.relpath(file, folder), file_digest(file), Path(file).stat().st_size, records
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
        elif file_digest(file) != entry.sha256:
            yield entry.name, "its sha256 differs"


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_without_none(item) for item in value]
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


def write(path: str | os.PathLike[str], records: Iterable[Any], *, overwrite: bool = True) -> int:
    """Write records and return how many there were.

    The name decides: `.parquet` for articles in bulk, `.trec` for a run, anything else is JSONL, `.gz` compressed, `-` is
    standard output. What could not be read back (a duplicate key, half a character) is refused, and nothing is written.
    """
    name = os.fspath(path)
    if (format := format_of(name, {})) in ("csv", "qrels"):
        raise FileError(f"{name}: records are not written as {format}; name a .jsonl file")
    checked = _Checked(records, name)
    trec = name.removesuffix(".gz").endswith(".trec")
    with atomic(name, overwrite=overwrite) as stream:
        if is_parquet(name):
            return write_articles(stream, checked)
        for record in checked:
            stream.write(checked.encoded(_trec_line(record) if trec else json_text(checked.row)))
    return checked.count


def record_text(record: Any) -> str:
    """Return a record as JSON on one line."""
    return json_text(schema_of(type(record)).encode(record))


class _Checked:
    """Validates and counts records while they are written: all of one type, each readable, no key twice.

    `row` is the latest one as a JSON object.
    """

    def __init__(self, records: Iterable[Any], file: str) -> None:
        self._records = iter(records)
        self._file = file
        self._seen = Seen()
        self._kind: type[Any] | None = None
        self.count = 0
        self.row: Json = None

    def __iter__(self) -> _Checked:
        return self

    def __next__(self) -> Any:
        record = next(self._records)
        self.count += 1
        try:
            self.row = self._checked(record)
        except DataError as error:
            raise error.at(self._file, self.count) from None
        key = key_of(record)
        if key is not None and not self._seen.add("\0".join(key)):
            what = " ".join(repr(part) for part in key)
            raise DataError(f"duplicate {what}", file=self._file, line=self.count)
        return record

    def _checked(self, record: Any) -> Json:
        kind = type(record)
        if not dataclasses.is_dataclass(kind):
            raise DataError(f"a {kind.__name__} is not a record")
        self._kind = self._kind or kind
        if kind is not self._kind:
            raise DataError(f"{kind.__name__} in a file of {self._kind.__name__}")
        schema = schema_of(kind)
        row = schema.encode(record)
        schema.decode(row)  # a value of the wrong type would be found only by the next reader
        return row

    def encoded(self, line: str) -> bytes:
        """Return the bytes of a line, if its text can be written at all."""
        try:
            return line.encode("utf-8") + b"\n"
        except UnicodeEncodeError as error:
            reason = "a lone surrogate (half of a character) in a text"
            raise DataError(reason, file=self._file, line=self.count) from error


def _trec_line(record: Any) -> str:
    if not isinstance(record, Ranked):
        raise DataError(f"a .trec file holds a run, not {type(record).__name__}")
    for name in (record.article, record.comment):
        if any(character.isspace() for character in name):
            raise DataError(f"the id {name!r} holds white space, which a TREC file cannot")
    return f"{record.article} Q0 {record.comment} {record.rank} {record.score!r} newsdesk"
