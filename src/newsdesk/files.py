"""All file access: streaming reads by line, atomic writes.

Reading streams: plain or gzip by its first two bytes, `-` is standard input, a BOM is skipped, a line has a limit.
Writing is atomic: bytes go to a hidden `.part` file beside the target, which takes the target's name only when complete and
on disk. A killed writer leaves the old file or the new one, never half. It also leaves its part, which the next process that writes the
same file removes: a living writer holds a lock on its part, whatever machine or container it runs on. Addresses such as `s3://bucket/key`
are read and written by `newsdesk.addresses`.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import io
import itertools
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from newsdesk.addresses import fetched, is_address, replacing
from newsdesk.errors import DataError, FileError

try:
    import fcntl
except ImportError:  # Windows, where parts of killed writers stay
    fcntl = None  # type: ignore[assignment]

MAX_LINE_BYTES = 256 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
# How a text begins that is not in UTF-8: by a byte-order mark, or by a character of ASCII.
_WIDE = {
    "UTF-32": re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0\0\0|\0\0\0[^\0]"),
    "UTF-16": re.compile(rb"\xff\xfe|\xfe\xff|[^\0]\0|\0[^\0]"),
}
_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
_HEAD = 1 << 12
_PART = re.compile(r"\.(.+)\.\d+\.part")  # what `atomic` calls a file that is not complete
_numbers = itertools.count(1)  # of the parts of this process
# Folder → target → parts that were there when this process first wrote into the folder.
_older_parts: dict[Path, dict[str, list[Path]]] = {}


def reason(error: OSError) -> str:
    """Return the reason of an OSError in a few words."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    if error.errno == errno.ENOSPC:
        return "no space left on the disk; nothing was written"
    return (error.strerror or str(error)).lower()


class _Peekable(Protocol):
    """A stream of bytes whose next ones can be looked at without being taken."""

    def peek(self, size: int, /) -> bytes: ...

    def read(self, size: int, /) -> bytes: ...

    def readline(self, size: int, /) -> bytes: ...


class InputFile:
    """An open file that is read line by line and knows how far it is."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        try:
            self._raw = _open_input(self.name)
        except OSError as error:
            raise FileError(f"{self.name}: {reason(error)}") from error
        self._buffered = io.BufferedReader(cast(io.RawIOBase, self._raw), _CHUNK)
        self._stream: _Peekable | None = None
        self._line = 0
        self.bytes_total = _size(self._raw)

    @property
    def bytes_read(self) -> int | None:
        """Bytes taken from the disk so far, if there is a disk to ask."""
        if self.bytes_total is None or self._raw.closed:
            return None
        return self._raw.tell()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.name != "-":
            self._buffered.close()

    def head(self) -> bytes:
        """Return some bytes from the beginning, decompressed, which stay to be read.

        Empty where the file is.
        """
        with self._read_errors():
            return self._decompressed().peek(_HEAD)[:_HEAD]

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, decompressed, a piece at a time: for formats that are not read by line."""
        try:
            with self._read_errors():
                stream = self._decompressed()
                while chunk := stream.read(_CHUNK):
                    yield chunk
        finally:
            self.close()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line with its number from 1, without its line end."""
        try:
            with self._read_errors():
                stream = self._decompressed()
                while line := stream.readline(MAX_LINE_BYTES + 2):
                    self._line += 1
                    yield self._line, self._clean(self._line, line)
        finally:
            self.close()

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number, as text."""
        for number, line in self.lines():
            yield number, decode(line, self.name, number)

    def _decompressed(self) -> _Peekable:
        if self._stream is None:
            packed = self._buffered.peek(2)[:2] == _GZIP
            self._stream = gzip.GzipFile(fileobj=self._buffered) if packed else self._buffered
        return self._stream

    @contextlib.contextmanager
    def _read_errors(self) -> Iterator[None]:
        try:
            yield
        except EOFError as error:
            raise DataError(
                "the gzip data ends early", file=self.name, line=self._line + 1
            ) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(
                f"broken gzip data: {error}", file=self.name, line=self._line + 1
            ) from error
        except OSError as error:
            raise FileError(f"{self.name}: {reason(error)}") from error

    def _clean(self, number: int, line: bytes) -> bytes:
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        if len(line) > MAX_LINE_BYTES:
            limit = MAX_LINE_BYTES // (1024 * 1024)
            raise DataError(f"the line is longer than {limit} MiB", file=self.name, line=number)
        return line.removeprefix(_BOM) if number == 1 else line


def _open_input(name: str) -> io.FileIO:
    if name == "-":
        return io.FileIO(sys.stdin.fileno(), closefd=False)
    return fetched(name) if is_address(name) else io.FileIO(name)


def _size(raw: io.FileIO) -> int | None:
    with contextlib.suppress(OSError):
        if raw.seekable():
            return os.fstat(raw.fileno()).st_size
    return None


def decode(line: bytes, file: str, number: int) -> str:
    """Return a line as text, or raise DataError with the byte that is wrong; `number` is the line's."""
    if b"\0" in line:
        wide = [name for name, begins in _WIDE.items() if number == 1 and begins.match(line)]
        if wide:
            raise DataError(f"{wide[0]} text; save the file as UTF-8", file=file, line=number)
        raise DataError(f"a NUL byte at byte {line.index(0) + 1}", file=file, line=number)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"not UTF-8: byte 0x{line[error.start]:02x} at byte {error.start + 1}",
            file=file,
            line=number,
        ) from error


def read_whole(path: str | os.PathLike[str], *, most_bytes: int = MAX_LINE_BYTES) -> bytes:
    """Return the bytes of a small file; FileError for a device, a pipe that nobody may ever write to, or too many bytes."""
    name = os.fspath(path)
    try:
        # Without waiting: a pipe has no end before its writer has one.
        with open(os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:  # noqa: PTH123
            state = os.fstat(stream.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise FileError(f"{name}: is no plain file")
            if state.st_size > most_bytes:
                raise FileError(f"{name}: has {state.st_size} bytes; {most_bytes} are read")
            return stream.read(state.st_size)
    except OSError as error:
        raise FileError(f"{name}: {reason(error)}") from error


def read_text(path: str | os.PathLike[str], *, most_bytes: int = MAX_LINE_BYTES) -> str:
    """Return the text of a small file in UTF-8, without a byte-order mark."""
    data = read_whole(path, most_bytes=most_bytes).removeprefix(_BOM)
    lines = data.split(b"\n")
    return "\n".join(decode(line, os.fspath(path), number) for number, line in enumerate(lines, 1))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise FileError if nothing can be written at a path; called before long work.

    A file is tried in the nearest folder that exists, and leaves nothing there.
    """
    name = os.fspath(path)
    target = Path(name).resolve()
    if (
        name == "-"
        or is_address(name)
        or (target.exists() and not (target.is_dir() or target.is_file()))
    ):
        return  # standard output, another machine, a device or a pipe
    folder = next(folder for folder in (target, *target.parents) if folder.is_dir())
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise FileError(f"{name}: cannot be written: {reason(error)}") from error


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder with its parents if it does not exist."""
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder}: is a file, not a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot be made: {reason(error)}") from error
    return folder


def build_folder(
    path: str | os.PathLike[str],
    first: tuple[str, str],
    *,
    last: str,
    names: Collection[str],
    overwrite: bool,
) -> Path:
    """Return a folder to build in, with its first file (name and text) written.

    The build is finished when the file `last` is there: it is deleted here, and so is what a killed writer left half-written.

    It may be new or empty, or what a build of the same kind left when it was stopped: the first file begins with the same line, `last` is missing,
    and there are no files but `names`. Any other content is replaced only with `overwrite`.
    """
    folder = make_folder(path)
    name, text = first
    if any(folder.iterdir()) and not overwrite:
        if not _is_unfinished(folder, first, last, {name, *names}):
            raise FileError(
                f"{folder}: exists already; add --force (or overwrite=True) to replace it"
            )
        remove_parts(folder)
    (folder / last).unlink(missing_ok=True)
    with atomic(folder / name) as stream:
        stream.write(text.encode("utf-8"))
    return folder


def remove_parts(folder: Path) -> None:
    """Remove what killed writers left in a folder and below it."""
    for path in list(folder.rglob(".*.part")):
        _remove_dead(path)


def _remove_dead(path: Path) -> None:
    """Remove a part unless its writer lives, and so holds its lock; where there are no locks it stays."""
    if fcntl is None or not _PART.fullmatch(path.name):
        return
    with contextlib.suppress(OSError):  # locked, or another process was faster
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                path.unlink()
        finally:
            os.close(descriptor)


def _is_unfinished(folder: Path, first: tuple[str, str], last: str, names: set[str]) -> bool:
    """Return whether a folder is what a stopped build left; the arguments are those of `build_folder`."""
    name, text = first
    present = [path.name for path in folder.iterdir()]
    whole = [file for file in present if not _PART.fullmatch(file)]
    targets = {_PART.sub(r"\1", file) for file in present}  # what a part would have become
    if last in present or not targets <= {*names, last}:
        return False
    if not whole:  # killed before its first file was complete
        return True
    opening = text.splitlines()[0].encode("utf-8")
    return (folder / name).is_file() and (folder / name).read_bytes().startswith(opening)


@contextlib.contextmanager
def complete_folder(target: Path) -> Iterator[Path]:
    """Yield a folder that takes the name of `target` if the block succeeds, and is removed if not.

    The target is new, or empty.
    """
    make_folder(target.parent)
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # of a process that was killed
    try:
        yield make_folder(part)
        part.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise FileError(f"{target}: {reason(error)}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextlib.contextmanager
def filled_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a folder to write several files to: a new one appears when all of them are there, one with files is used as it is."""
    target = Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        yield make_folder(target)
        return
    with complete_folder(target) as draft:
        yield draft


@contextlib.contextmanager
def atomic(
    path: str | os.PathLike[str],
    *,
    overwrite: bool = True,
    packed: bool = False,
    private: bool = False,
) -> Iterator[BinaryIO]:
    """Write a file atomically: it appears under its name only if the block succeeds.

    A name that ends in `.gz` is compressed, unless the bytes are `packed` already; `-` is standard output; a device or a pipe is
    written as it is. A file that is replaced keeps its mode; a `private` one is readable by its owner alone.
    """
    name = os.fspath(path)
    if name == "-":
        with _explained(name):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    if is_address(name):
        with (
            replacing(name, overwrite=overwrite) as part,
            _compressed(part, "" if packed else name) as stream,
        ):
            yield stream
        return
    target = Path(name)
    if target.is_dir():
        raise FileError(f"{name}: is a folder, not a file")
    if not overwrite and target.is_file():
        raise FileError(f"{name}: exists already; add --force (or overwrite=True) to replace it")
    if not target.parent.is_dir():
        raise FileError(f"{name}: there is no folder {str(target.parent)!r}")
    with _explained(name):
        suffix = "" if packed else name
        if target.exists() and not target.is_file():
            with target.open("wb") as device, _compressed(device, suffix) as stream:
                yield stream
            return
        with _replacing(target, private=private) as part, _compressed(part, suffix) as stream:
            yield stream


@contextlib.contextmanager
def _replacing(target: Path, *, private: bool) -> Iterator[BinaryIO]:
    """Yield a stream to a hidden part, which replaces the target if the block succeeds, else goes."""
    target = target.resolve()  # a link stays a link: what it points to is replaced
    _remove_older(target)
    part, opened = _locked_part(target)
    try:
        with opened as stream:
            if private or target.exists():
                part.chmod(0o600 if private else stat.S_IMODE(target.stat().st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _remove_older(target: Path) -> None:
    """Remove the parts that dead processes left of a target; a folder is listed once, however many files are written."""
    if target.parent not in _older_parts:
        listed = _older_parts[target.parent] = {}
        for path in target.parent.glob(".*.part"):
            if name := _PART.fullmatch(path.name):
                listed.setdefault(name[1], []).append(path)
    for path in _older_parts[target.parent].pop(target.name, ()):
        _remove_dead(path)


def _locked_part(target: Path) -> tuple[Path, BinaryIO]:
    """Create a part for a target and lock it, which says to other processes that its writer lives."""
    while True:
        part = target.with_name(f".{target.name}.{os.getpid()}{next(_numbers):03}.part")
        try:
            stream = part.open("xb")
        except (
            FileExistsError
        ):  # of a process of the same number, which lives in another container or is dead
            continue
        if fcntl is not None:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # another process takes it for that of a dead one
                stream.close()
                continue
            except OSError:  # no locks on this file system
                return part, stream
            if not part.exists():
                stream.close()
                continue
        return part, stream


@contextlib.contextmanager
def _compressed(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    if not name.endswith(".gz"):
        yield stream
        return
    # No file name and no time in the header: the same records give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=stream, mtime=0) as packed:
        yield cast(BinaryIO, packed)


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"{name}: {reason(error)}") from error


def _sync_folder(folder: Path) -> None:
    # Some file systems cannot sync a folder; the rename is atomic there all the same.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_text(path: str | Path, text: str, *, overwrite: bool = True) -> None:
    """Write a text atomically as UTF-8; `-` is standard output."""
    with atomic(path, overwrite=overwrite) as stream:
        stream.write(text.encode("utf-8"))


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the sha256 of a file."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {reason(error)}") from error
