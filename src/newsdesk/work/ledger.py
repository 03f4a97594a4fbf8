"""What is complete: digests of inputs and settings, records of finished steps, and one build at a time in a folder.

A step is done when its record holds the key of what it would be made from (inputs, settings, version) and its outputs are
still there. The record is written after the outputs, atomically, so a killed step is simply not done.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsdesk import __version__
from newsdesk.addresses import is_address
from newsdesk.errors import FileError
from newsdesk.files import atomic, file_digest, make_folder, reason
from newsdesk.jsonl import json_line, json_value

if TYPE_CHECKING:
    from numpy.typing import NDArray


WORK = ".work"  # the folder of what is needed only to go on


def digest_of(value: Any) -> str:
    """Return the sha256 of a JSON value, whatever the order of its keys."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Digests:
    """Digests of files, remembered by size and time of change, so that nothing is read twice.

    The file behind it is a cache: it says nothing about the outputs, and may be deleted at any time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, list[Any]] = _json(path) or {}  # path → [size, time in ns, digest]

    def of(self, path: str | os.PathLike[str]) -> str:
        """Return the sha256 of a file, from the cache if size and time are unchanged."""
        name = str(Path(path).absolute())
        try:
            state = Path(name).stat()
        except OSError as error:
            raise FileError(f"{os.fspath(path)}: {reason(error)}") from error
        known = self._known.get(name)
        if known is None or known[:2] != [state.st_size, state.st_mtime_ns]:
            known = self._known[name] = [state.st_size, state.st_mtime_ns, file_digest(name)]
        digest: str = known[-1]
        return digest

    def save(self) -> None:
        """Write what is known to the cache."""
        with atomic(self._path) as stream:
            stream.write(json.dumps(self._known).encode("utf-8"))


class Ledger:
    """Records of finished steps, one file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = make_folder(folder)

    def result(self, step: str, key: str) -> Any:
        """Return what a step returned when it was finished with this key.

        None if it was not, or if an output is gone or has changed its size.
        """
        record = _json(self._folder / f"{step}.json")
        if not isinstance(record, dict) or record.get("key") != key:
            return None
        for name, size in record["outputs"].items():
            file = self._folder.parent.parent / name
            if not file.is_file() or file.stat().st_size != size:
                return None
        return record["result"]

    def begin(self, step: str) -> None:
        """Forget that a step was finished: its outputs are about to change."""
        (self._folder / f"{step}.json").unlink(missing_ok=True)

    def finish(self, step: str, key: str, outputs: Mapping[str, int], result: Any) -> None:
        """Record that a step is finished, with the key of its inputs and what it returned.

        `outputs` are names of files below the build's folder, with their sizes in bytes.
        """
        record = {"format": 1, "key": key, "outputs": dict(outputs), "result": result}
        with atomic(self._folder / f"{step}.json") as stream:
            stream.write(json.dumps(record, ensure_ascii=False).encode("utf-8"))


def work_folder(out: str | os.PathLike[str], kind: str, *, overwrite: bool) -> tuple[Path, Path]:
    """Make and return an output folder and its `.work` folder; `kind` names it in the error.

    A folder that holds something but no `.work` is refused, unless `overwrite`.
    """
    folder = make_folder(out)
    work = folder / WORK
    if any(folder.iterdir()) and not work.is_dir() and not overwrite:
        raise FileError(f"{folder}: exists already and is no {kind} folder; name another one")
    return folder, make_folder(work)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder for one process; another one that asks for it gets a FileError at once.

    The lock ends with the process.
    """
    with (folder / "lock").open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError(
                f"{folder.parent}: another build is at work here; wait for it"
            ) from None
        yield


@contextmanager
def resumable(out: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a locked folder beside an output for what is needed only to go on after a kill.

    It is deleted at the end; after an error it stays, unless it holds no file yet. An output that is no file of this machine (`-`, an address) has a temporary one.
    """
    name = os.fspath(out)
    if name == "-" or is_address(name) or not Path(name).absolute().parent.is_dir():
        with tempfile.TemporaryDirectory(prefix="newsdesk-") as folder:
            yield Path(folder)
        return
    work = make_folder(Path(name).absolute().with_name(f".{Path(name).name}.work"))
    finished = work.with_name(f"{work.name}.done")
    shutil.rmtree(finished, ignore_errors=True)  # of a process that was killed while it deleted it
    with locked(work):
        try:
            yield work
        except BaseException:
            if not any(path.is_file() and path.name != "lock" for path in work.rglob("*")):
                shutil.rmtree(work)
            raise
        work.rename(finished)  # at once: what is half deleted would not say that all is done
        shutil.rmtree(finished)


def _json(path: Path) -> Any:
    """Return the JSON value of a file; None if it cannot be read."""
    try:
        return json_value(path.read_bytes())
    except (OSError, ValueError):
        return None


class DayCache:
    """Results of one kind in a folder; `computed` lists the days that had to be computed now."""

    def __init__(self, folder: Path) -> None:
        self._folder = make_folder(folder)
        self._used: set[Path] = set()
        self.computed: list[str] = []

    def value(self, day: str, inputs: Any, compute: Callable[[], Any]) -> Any:
        """Return the stored JSON value of these inputs (JSON too) and this version, or compute and store it."""
        path = self._path(inputs, ".json")
        if path.is_file():
            return json_value(path.read_bytes())
        value = compute()
        with atomic(path) as stream:
            stream.write(json_line(value))
        self.computed.append(day)
        return value

    def array(self, inputs: Any) -> NDArray[Any]:
        """Return the array that was put under these inputs."""
        from newsdesk.arrays import (
            mapped_array,  # numpy is not needed by all that import this module
        )

        return mapped_array(self._path(inputs, ".npy"))

    def put_array(self, day: str, inputs: Any, array: NDArray[Any]) -> None:
        """Store an array that follows from the inputs and the version."""
        import numpy as np

        with atomic(self._path(inputs, ".npy")) as stream:
            np.save(stream, array)
        self.computed.append(day)

    def missing(self, inputs: Iterable[Any], ending: str = ".json") -> list[int]:
        """Return the indices of the inputs of which nothing is stored, equal ones once.

        What is stored of the others counts as used: `sweep` keeps it.
        """
        missing: dict[Path, int] = {}
        for number, one in enumerate(inputs):
            if not (path := self._path(one, ending)).is_file():
                missing.setdefault(path, number)
        return list(missing.values())

    def sweep(self) -> None:
        """Delete the files that were not used since this cache was opened."""
        for path in set(self._folder.iterdir()) - self._used:
            path.unlink()

    def _path(self, inputs: Any, ending: str) -> Path:
        """Return the file of these inputs and this version, and remember it as used."""
        path = self._folder / f"{digest_of([__version__, inputs])[:32]}{ending}"
        self._used.add(path)
        return path
