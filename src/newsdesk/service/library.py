"""The files of a data folder: those that people brought (`files/ID/`), and the records of the newsroom; listed, named, kept, deleted.

A brought file stays as it came, in a folder of its own; how its columns are read is a row of the table `desk_files`. What is computed from a file lies beside it, in a folder
named after the content and the way it is read: a changed choice finds an empty folder, and the old one is removed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import sqlalchemy as sa

from newsdesk import __version__, records
from newsdesk.campaigns import moment
from newsdesk.campaigns.store.database import Database
from newsdesk.errors import ArgumentError, DataError, NewsdeskError
from newsdesk.files import atomic, make_folder
from newsdesk.service.database import desk_files as _files
from newsdesk.service.errors import Problem
from newsdesk.service.settings import DataFolder
from newsdesk.settings import one_of
from newsdesk.signatures import sha256_of
from newsdesk.types import Thread

FileKind = Literal["comments", "articles", "clusters", "events", "outputs", "references"]
# What a file holds, by the record type that `newsdesk.records` recognises.
_KIND_OF: Mapping[str, FileKind] = {
    "thread": "comments", "article": "articles", "cluster": "clusters", "event": "events", "output": "outputs", "references": "references",
}  # fmt: skip

_ID = re.compile(r"[0-9a-f]{16}")
_NEWSROOM = "newsroom-"  # how the id of a record file of the newsroom begins
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class NewsFile:
    """A file of the data folder: what people call it, what is in it, and how its columns are read."""

    id: str
    name: str
    kind: FileKind
    mapping: Mapping[str, str]  # field → column, as somebody chose them
    added_by: str
    added_at: str
    path: Path
    folder: Path  # where everything computed from it lies

    @property
    def is_brought(self) -> bool:
        """True if somebody brought it: only such a file can be renamed, read otherwise or deleted."""
        return not self.id.startswith(_NEWSROOM)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.path.stat().st_size

    def work(self, name: str) -> Path:
        """Return the folder of what is computed under this name, for the content and the mapping as they are now."""
        state = self.path.stat()
        basis = [__version__, self.kind, sorted(self.mapping.items()), state.st_size]
        return self.folder / f"{name}-{sha256_of(json.dumps([*basis, state.st_mtime_ns]), 12)}"


class Library:
    """The register of files. Safe to use from many threads and processes."""

    def __init__(
        self, folder: DataFolder, database: Database, clock: Callable[[], datetime]
    ) -> None:
        self._folder = folder
        self._database = database
        self._clock = clock

    def all(self, kind: FileKind | None = None) -> list[NewsFile]:
        """Return the files of a kind, or all: brought ones first, the latest at the top, then the newsroom's."""
        query = sa.select(_files).where(_files.c.deleted_at.is_(None))
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(_files.c.added_at.desc(), _files.c.id)).all()
        brought = [self._brought(row) for row in rows]
        listed = [*(file for file in brought if file.path.is_file()), *self.newsroom()]
        return [file for file in listed if kind in (None, file.kind)]

    def file(self, file_id: str) -> NewsFile:
        """Return the file with this id; an unknown one is a 404."""
        if file_id.startswith(_NEWSROOM):
            found = next((file for file in self.newsroom() if file.id == file_id), None)
        else:
            found = self._by_id(file_id)
        if found is None or not found.path.is_file():
            raise Problem(404, "not-found", "there is no such file; it may have been deleted")
        return found

    def add(self, content: BinaryIO, name: str, kind: FileKind, by: str) -> NewsFile:
        """Keep a file under a name; it is on disk, whole, before it is listed."""
        one_of("kind", kind, get_args(FileKind))
        file_id = secrets.token_hex(8)
        path = make_folder(self._folder.files / file_id) / f"source{_ending(name)}"
        with atomic(path) as stream:
            shutil.copyfileobj(content, stream)
        values = {
            "id": file_id,
            "name": _checked_name(name),
            "kind": kind,
            "mapping": "{}",
            "source": path.name,
            "added_by": by,
            "added_at": moment(self._clock()),
        }
        with self._database.write() as connection:
            connection.execute(_files.insert().values(values))
        return self.file(file_id)

    def rename(self, file: NewsFile, name: str) -> None:
        """Give a brought file another name."""
        self._change(file, name=_checked_name(name))

    def read_as(self, file: NewsFile, kind: FileKind, mapping: Mapping[str, str]) -> NewsFile:
        """Read a brought file as another kind or by other columns; what was computed before is removed."""
        one_of("kind", kind, get_args(FileKind))
        self._change(file, kind=kind, mapping=json.dumps(dict(mapping), ensure_ascii=False))
        changed = self.file(file.id)
        for folder in _computed(changed):
            shutil.rmtree(folder, ignore_errors=True)
        return changed

    def delete(self, file: NewsFile) -> None:
        """Delete a brought file and everything computed from it; its row stays, with the time."""
        self._change(file, deleted_at=moment(self._clock()))
        shutil.rmtree(file.folder, ignore_errors=True)

    def _change(self, file: NewsFile, **values: Any) -> None:
        if not file.is_brought:
            raise ArgumentError(f"{file.name} belongs to the newsroom; it is changed on disk")
        with self._database.write() as connection:
            connection.execute(_files.update().where(_files.c.id == file.id).values(values))

    def _by_id(self, file_id: str) -> NewsFile | None:
        if not _ID.fullmatch(file_id):
            return None
        query = sa.select(_files).where(_files.c.id == file_id, _files.c.deleted_at.is_(None))
        with self._database.read() as connection:
            row = connection.execute(query).first()
        return None if row is None else self._brought(row)

    def _brought(self, row: Any) -> NewsFile:
        folder = self._folder.files / row.id
        return NewsFile(
            id=row.id,
            name=row.name,
            kind=row.kind,
            mapping=json.loads(row.mapping),
            added_by=row.added_by,
            added_at=row.added_at,
            path=folder / row.source,
            folder=folder,
        )

    def newsroom(self) -> Iterator[NewsFile]:
        """Yield the record files of the newsroom whose kind pages show."""
        for name in self._folder.record_files():
            path = self._folder.newsroom / name
            state = path.stat()
            kind = _kind_then(path, state.st_mtime_ns, state.st_size)
            if kind is None:
                continue
            file_id = _NEWSROOM + sha256_of(name, 16)
            changed = datetime.fromtimestamp(state.st_mtime, self._clock().tzinfo)
            folder = self._folder.files / file_id
            yield NewsFile(file_id, name, kind, {}, "newsroom", moment(changed), path, folder)


def kind_of(path: Path) -> FileKind:
    """Return what is in a file: by its first record, else comments if it reads as a table or an export of them."""
    try:
        first = _first(records.read_any(path))
    except NewsdeskError:
        first = _first(records.read(path, Thread))
    kind = None if first is None else _KIND_OF.get(records.name_of(type(first)))
    if kind is None:
        raise DataError(
            "holds neither comments nor articles, clusters, events, outputs or references",
            file=path.name,
        )
    return kind


def record_kind(path: Path) -> str | None:
    """Return the record type of a file's first line, such as `control`; None where it is none."""
    state = path.stat()
    return _record_kind_then(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=1024)
def _record_kind_then(path: Path, changed_ns: int, size: int) -> str | None:
    try:
        first = _first(records.read_any(path))
    except NewsdeskError:
        return None
    return None if first is None else records.name_of(type(first))


def _first(reader: records.Reader[Any]) -> Any:
    with contextlib.closing(reader):
        return next(reader, None)


@functools.lru_cache(maxsize=1024)
def _kind_then(path: Path, changed_ns: int, size: int) -> FileKind | None:
    """Return the kind of a file of the newsroom as it is at this time and size; None where it has none."""
    try:
        return kind_of(path)
    except NewsdeskError:
        return None


def _computed(file: NewsFile) -> Iterator[Path]:
    """Yield the folders of what was computed from a file."""
    yield from (entry for entry in file.folder.iterdir() if entry.is_dir())


def _ending(name: str) -> str:
    """Return the ending of a file name if it is a plain one, `.csv` or `.jsonl.gz`, else nothing.

    >>> _ending("comments.CSV"), _ending("a.b/../c"), _ending("x.jsonl.gz")
    ('.csv', '', '.jsonl.gz')
    """
    fitting = re.search(r"(\.[a-z0-9]{1,8})(\.gz)?\Z", Path(name).name.lower())
    return fitting[0] if fitting else ""


def _checked_name(name: str) -> str:
    """Return a name on one line that can be printed, without spaces around it."""
    shown = " ".join(name.split())
    if not shown or len(shown) > _LONGEST_NAME or not shown.isprintable():
        raise ArgumentError(
            f"a file needs a name of 1 to {_LONGEST_NAME} printable characters, not {name[:60]!r}"
        )
    return shown
