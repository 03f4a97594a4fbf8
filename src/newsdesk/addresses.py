"""Files that lie elsewhere: `s3://bucket/key` and every other address that fsspec knows (extra `cluster`).

A file is copied to this machine to be read, and written here first to be put in its place in one piece: object stores have no rename, but an object
appears only when it is whole. Where several objects make one result, the one that says that it is complete is put last.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from newsdesk.errors import ArgumentError, FileError
from newsdesk.registry import require

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_address(name: str | os.PathLike[str]) -> bool:
    """Return whether a name is an address of another place and not a path.

    >>> is_address("s3://bucket/articles"), is_address("articles/")
    (True, False)
    """
    return _ADDRESS.match(os.fspath(name)) is not None


def fetched(address: str) -> io.FileIO:
    """Return an object as an open file of this machine that goes when it is closed."""
    system, path = _system(address)
    with tempfile.TemporaryFile() as copy:
        with _explained(address), system.open(path, "rb") as source:
            shutil.copyfileobj(source, copy)
        copy.flush()
        copy.seek(0)
        return io.FileIO(os.dup(copy.fileno()))


def fetch(address: str, target: Path) -> None:
    """Download an object of a store to a local file."""
    system, path = _system(address)
    with _explained(address):
        system.get_file(path, str(target))


@contextmanager
def replacing(address: str, *, overwrite: bool = True) -> Iterator[BinaryIO]:
    """Open a stream to write an object with; it appears under its address only if the block succeeds."""
    if not overwrite and exists(address):
        raise FileError(f"{address}: exists already; add --force (or overwrite=True) to replace it")
    with tempfile.NamedTemporaryFile() as copy:
        yield cast(BinaryIO, copy)
        copy.flush()
        put(Path(copy.name), address)


def put(source: Path, address: str) -> None:
    """Copy a file to an address, in one piece."""
    system, path = _system(address)
    with _explained(address):
        if "file" in _protocols(system):
            system.makedirs(str(Path(path).parent), exist_ok=True)
        system.put_file(str(source), path)


def exists(address: str) -> bool:
    """Return whether there is an object at an address."""
    system, path = _system(address)
    with _explained(address):
        system.invalidate_cache()
        return bool(system.isfile(path))


def remove(address: str) -> None:
    """Remove an object, if it is there."""
    system, path = _system(address)
    with _explained(address):
        system.invalidate_cache()
        if system.exists(path):
            system.rm_file(path)


def listing(address: str) -> list[tuple[str, int, str]]:
    """Return the objects at and below an address, sorted by name.

    Each is its address, its size in bytes, and a text that changes when the object does (`_state`).
    """
    system, path = _system(address)
    with _explained(address):
        system.invalidate_cache()
        entries = system.find(path, detail=True)
    scheme = address.partition("://")[0]
    return [
        (_address(system, scheme, name), int(entry["size"]), _state(entry))
        for name, entry in sorted(entries.items())
    ]


def _system(address: str) -> tuple[Any, str]:
    """Return the file system of fsspec that an address names, and the path in it."""
    fsspec = require("fsspec", extra="cluster", what=f"reading and writing {address}")
    try:
        with _explained(address):
            system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise FileError(f"{address}: {error}") from error
    except ValueError as error:
        raise ArgumentError(
            f"{address}: no place of a kind that is known here ({error})"
        ) from error
    return system, str(path)


def _address(system: Any, scheme: str, name: str) -> str:
    return f"file://{name}" if "file" in _protocols(system) else f"{scheme}://{name.lstrip('/')}"


def _protocols(system: Any) -> tuple[str, ...]:
    names = system.protocol
    return (names,) if isinstance(names, str) else tuple(names)


def _state(entry: Any) -> str:
    """Return what an object store says about the content (ETag), or else the time of the last change."""
    for name in ("ETag", "etag", "md5Hash", "mtime", "LastModified"):
        if entry.get(name):
            return str(entry[name])
    return ""


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Raise errors of a store as FileError of one line; those of botocore are no OSErrors."""
    botocore = sys.modules.get("botocore.exceptions")
    failures: tuple[type[Exception], ...] = (OSError,)
    if botocore:
        failures += (botocore.BotoCoreError,)
    try:
        yield
    except FileNotFoundError as error:
        raise FileError(f"{address}: no such file") from error
    except failures as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise FileError(f"{address}: {first}") from error
