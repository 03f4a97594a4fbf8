"""A disk that loses what was not synced: the system calls of a process are recorded, and replayed up to any moment.

A recording is what `strace` saw one process do to the files of a folder: creations, writes, truncations, renames, removals, syncs, and lines on
standard output, by which the process acknowledges. A power cut at a moment leaves, of each file, what it held at its last sync, and of the
writes since then none, all or some sectors; of the names in a folder, those of its last sync or all. This is harsher than most file systems are.
Memory-mapped files are not seen: of SQLite only the index of the log is one, which is rebuilt after a crash.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_SECTOR = 512
_CALLS = "openat,close,write,pwrite64,lseek,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,link,linkat"
_CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_DESCRIPTOR = re.compile(r"\d+")


def has_strace() -> bool:
    """Whether a process can be recorded here."""
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "-e", "trace=none", "true"], capture_output=True).returncode == 0  # fmt: skip


def record(code: str, folder: Path, log: Path) -> list[str]:
    """Run Python code in a folder and return its system calls, a line each."""
    command = ["strace", "-xx", "-s", "10000000", "-e", f"trace={_CALLS}", "-o", str(log)]
    done = subprocess.run(
        [*command, sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return log.read_text("ascii").splitlines()


@dataclass(eq=False)
class _Inode:
    """A file: its bytes, those of its last sync, and the places of writes since then."""

    data: bytearray = field(default_factory=bytearray)
    durable: bytes = b""
    unsynced: list[tuple[int, int]] = field(default_factory=list)  # first byte, end

    def write(self, offset: int, content: bytes) -> None:
        if len(self.data) < offset:
            self.data.extend(bytes(offset - len(self.data)))
        self.data[offset : offset + len(content)] = content
        self.unsynced.append((offset, offset + len(content)))

    def truncate(self, size: int) -> None:
        del self.data[size:]
        self.data.extend(bytes(size - len(self.data)))
        self.durable = self.durable[:size]

    def sync(self) -> None:
        self.durable, self.unsynced = bytes(self.data), []

    def after_a_cut(self, kept: float, rng: random.Random) -> bytes:
        """The bytes after a cut, with a share of the sectors that were written since the last sync."""
        left = bytearray(self.durable)
        for first, end in self.unsynced:
            for start in range(first, end, _SECTOR):
                stop = min(start + _SECTOR, end, len(self.data))
                if start < stop and rng.random() < kept:
                    if len(left) < start:
                        left.extend(bytes(start - len(left)))
                    left[start:stop] = self.data[start:stop]
        return bytes(left)


class _Folder:
    """The folder itself, opened to be synced."""


class Disk:
    """The files of a folder as a recording leaves them, call by call; `acknowledged` are lines on standard output."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._names: dict[str, _Inode] = {}
        self._durable_names: dict[str, _Inode] = {}
        self._open: dict[
            int, tuple[_Inode | _Folder | None, int]
        ] = {}  # descriptor → file and offset
        self.acknowledged: list[str] = []

    def replay(self, calls: list[str]) -> Iterator[str]:
        """Apply the calls one after the other; yields the name of each that changed something."""
        for line in calls:
            if (call := _CALL.match(line)) and int(call[3]) >= 0 and self._apply(call):
                yield call[1]

    def cut(self, target: Path, *, names: bool, kept: float, rng: random.Random) -> None:
        """Write what a power cut leaves: all `names` or those of the last sync, and a share of unsynced sectors."""
        for name, inode in (self._names if names else self._durable_names).items():
            (target / name).write_bytes(inode.after_a_cut(kept, rng))

    def _apply(self, call: re.Match[str]) -> bool:
        """Apply a call that succeeded; return whether a power cut after it leaves something else than before."""
        verb, arguments, result = call[1], call[2], int(call[3])
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in _TEXT.findall(arguments)]
        if verb == "openat":
            return self._opened(texts[0].decode(), arguments, result)
        if verb.startswith(("rename", "unlink", "link")):
            return self._renamed(verb, [self._inside(text.decode()) for text in texts])
        number = _DESCRIPTOR.match(arguments)
        descriptor = int(number[0]) if number else -1
        if verb == "write" and descriptor == 1:
            self.acknowledged += texts[0].decode().split()
            return True
        file, offset = self._open.get(descriptor, (None, 0))
        if verb == "close":
            self._open.pop(descriptor, None)
            return False
        if isinstance(file, _Folder):
            self._durable_names = dict(self._names)
            return True
        if file is None:
            return False
        last = arguments.rpartition(",")[2].strip()
        if verb == "lseek":
            self._open[descriptor] = file, result
            return False
        if verb == "pwrite64":
            file.write(int(last), texts[0][:result])
        elif verb == "write":
            file.write(offset, texts[0][:result])
            self._open[descriptor] = file, offset + result
        elif verb == "ftruncate":
            file.truncate(int(last))
        else:
            file.sync()
        return True

    def _inside(self, path: str) -> str | None:
        """The name of a file directly in the folder; None for any other, and for what SQLite maps."""
        absolute = path if path.startswith("/") else f"{self._folder}/{path}"
        folder, _, name = absolute.rpartition("/")
        return name if folder == self._folder and not name.endswith("-shm") else None

    def _opened(self, path: str, arguments: str, descriptor: int) -> bool:
        name = self._inside(path)
        if path == self._folder:
            self._open[descriptor] = _Folder(), 0
        if name is None:
            return False
        created = name not in self._names and "O_CREAT" in arguments
        if created:
            self._names[name] = _Inode()
        inode = self._names.get(name)
        if inode is not None and "O_TRUNC" in arguments:
            inode.truncate(0)
        self._open[descriptor] = inode, 0
        return created

    def _renamed(self, verb: str, names: list[str | None]) -> bool:
        first, *rest = names
        if first not in self._names:
            return False
        inode = self._names[first]
        if not verb.startswith("link"):
            del self._names[first]
        if not verb.startswith("unlink") and rest[0] is not None:
            self._names[rest[0]] = inode
        return True
