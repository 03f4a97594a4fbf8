"""Back a data folder up while a server runs, and restore it: one tar file with the store, the secrets and all other files.

The store is copied by SQLite itself, as of one moment, and nobody waits for it. Other files are replaced atomically by whoever writes them, so
that each is copied whole. The last member, `backup.json`, has the SHA-256 of all others: an archive that ends early, or was altered by an
accident, is refused before the restored folder has its name. A store on PostgreSQL is not inside; `pg_dump` copies it.

An archive holds everything that signs people in. It is written for its owner alone.
"""

from __future__ import annotations

import hashlib
import io
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from newsdesk import __version__
from newsdesk.campaigns.store import Store
from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic, complete_folder, make_folder, reason
from newsdesk.jsonl import json_line, json_value
from newsdesk.service.settings import STORE

FORMAT = 1
INDEX = "backup.json"
_CHUNK = 1 << 20
_MOST_INDEX_BYTES = 256 << 20
_STORE_NAMES = {STORE.as_posix() + ending for ending in ("", "-wal", "-shm", "-journal")}


@dataclass(frozen=True, slots=True)
class Backup:
    """What an archive holds: files, bytes, and links that were left out."""

    files: int
    size: int
    links: int = 0
    store: bool = True


class _Hashing:
    """A stream that hashes what is read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self._stream.read(size)
        self._digest.update(data)
        return data

    def hexdigest(self) -> str:
        """Return the SHA-256 of all bytes so far."""
        return self._digest.hexdigest()


def back_up(data: Path, out: str | os.PathLike[str], *, overwrite: bool = False) -> Backup:
    """Write a data folder into an archive; a server may go on writing meanwhile."""
    if not data.is_dir():
        raise FileError(f"{data}: no such folder")
    root, target = data.resolve(), Path(out).resolve()
    if target.is_relative_to(root):
        raise FileError(f"{out}: lies in the data folder itself; name a file outside {data}")
    hashes: dict[str, str] = {}
    size = 0
    with (
        atomic(out, overwrite=overwrite, private=True) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
        _store_copy(root) as copied,
    ):
        for name, path in sorted([*_files(root), *copied]):
            with path.open("rb") as source:
                info = _entry(name, os.fstat(source.fileno()).st_size)
                hashing = _Hashing(source)
                archive.addfile(info, hashing)
                hashes[name] = hashing.hexdigest()
                size += info.size
        index = json_line({"format": FORMAT, "version": __version__, "files": hashes})
        archive.addfile(_entry(INDEX, len(index)), io.BytesIO(index))
    links = sum(path.is_symlink() for path in root.rglob("*"))
    return Backup(len(hashes), size, links, STORE.as_posix() in hashes)


def _entry(name: str, size: int) -> tarfile.TarInfo:
    """Return the header of a member: nothing of this machine, so that the same files give the same bytes."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and path of every file but the store, links, and what is not complete yet."""
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        unfinished = path.name.startswith(".") and path.name.endswith(".part")
        if path.is_file() and not path.is_symlink() and not unfinished and name not in _STORE_NAMES:
            yield name, path


@contextmanager
def _store_copy(root: Path) -> Iterator[list[tuple[str, Path]]]:
    """Yield the name of the store with a copy of it as of now; nothing where the folder has none."""
    path = root / STORE
    if not path.is_file():
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="newsdesk-backup-") as folder:
        copy = Path(folder) / "store.db"
        with Store.open(f"sqlite:///{path}", create=False) as store:
            store.database.copy_to(copy)
        yield [(STORE.as_posix(), copy)]


def restore(archive: str | os.PathLike[str], data: Path) -> Backup:
    """Write the files of an archive into a new data folder, which appears when all of them were checked."""
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise FileError(f"{data}: exists already; a backup is restored into a new folder")
    hashes: dict[str, str] = {}
    index: Any = None
    size = 0
    name = os.fspath(archive)
    with _explained(name), tarfile.open(name) as members, complete_folder(data.absolute()) as draft:
        draft.chmod(0o700)
        for member in members:
            content = members.extractfile(member) if member.isreg() else None
            if content is None or not _is_inside(member.name) or member.name in hashes:
                raise DataError(f"{member.name!r} is no file of a backup", file=name)
            if member.name == INDEX:
                index = json_value(content.read(_MOST_INDEX_BYTES))
                continue
            hashing = _Hashing(content)
            _write(draft, member.name, hashing)
            hashes[member.name] = hashing.hexdigest()
            size += member.size
        if not isinstance(index, dict) or index.get("format") != FORMAT:
            raise DataError(f"no whole backup: {INDEX} is missing at its end", file=name)
        if index.get("files") != hashes:
            raise DataError("not what was backed up: files differ from their hashes", file=name)
        if STORE.as_posix() in hashes:
            _check_store(draft / STORE, name)
    return Backup(len(hashes), size, store=STORE.as_posix() in hashes)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn the errors of a broken archive into one line."""
    try:
        yield
    except (tarfile.TarError, EOFError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"no backup ({error})", file=name) from error
    except OSError as error:
        raise FileError(f"{name}: {reason(error)}") from error


def _is_inside(name: str) -> bool:
    """Return whether a name is a path below the folder, on every system."""
    parts = PurePosixPath(name).parts
    odd = not name or "\\" in name or "\0" in name or ":" in name.partition("/")[0]
    return not odd and not name.startswith("/") and ".." not in parts and name == "/".join(parts)


def _write(draft: Path, name: str, content: _Hashing) -> None:
    """Write one file, readable by its owner alone, as are the folders above it."""
    target = draft / name
    for folder in reversed(target.relative_to(draft).parents):
        make_folder(draft / folder).chmod(0o700)
    with atomic(target, overwrite=False, packed=True, private=True) as stream:
        while chunk := content.read(_CHUNK):
            stream.write(chunk)


def _check_store(path: Path, archive: str) -> None:
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            [(answer,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        answer = str(error)
    if answer != "ok":
        raise DataError(f"the store in it is damaged ({answer})", file=archive)
