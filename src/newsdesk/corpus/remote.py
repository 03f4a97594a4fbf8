"""Shards and folders that lie at an address: what a task copies here and puts back, and what the articles step does with such a folder.

A task copies its input to this machine, works on files, and puts the rows first and the accounts last: the accounts are the sign that a shard is
complete. The folder itself is merged on the machine where the command runs, in a scratch folder: rows come here, the
partitions that are not there yet go there, then those of an earlier plan are removed, and `report.json` is put last.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from newsdesk.addresses import exists, fetch, is_address, listing, put, remove
from newsdesk.files import make_folder

Files = Sequence[tuple[str, str]]
_ENDINGS = (".rows", ".json")  # the accounts last


@contextmanager
def local_inputs(files: Files) -> Iterator[Files]:
    """The files of a shard as paths of this machine; names stay as they are."""
    if not any(is_address(path) for _, path in files):
        yield files
        return
    with tempfile.TemporaryDirectory(prefix="newsdesk-") as folder:
        copies = []
        for number, (name, path) in enumerate(files):
            target = Path(folder) / f"{number}-{path.rpartition('/')[2]}"
            fetch(path, target)
            copies.append((name, str(target)))
        yield copies


@contextmanager
def local_output(out: str) -> Iterator[str]:
    """Where a task writes; what it wrote is put to its address if the block succeeds."""
    if not is_address(out):
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="newsdesk-") as folder:
        local = Path(folder) / "shard"
        yield str(local)
        for ending in _ENDINGS:
            put(local.with_suffix(ending), f"{out}{ending}")


@dataclass(frozen=True, slots=True)
class Mirror:
    """A folder at an address, and the folder of this machine in which it is worked on."""

    address: str
    folder: Path

    def at(self, name: str) -> str:
        """The address of a file of the folder."""
        return f"{self.address.rstrip('/')}/{name}"

    def names(self) -> set[str]:
        """The names of all files that are there."""
        prefix = len(self.at("").partition("://")[2])
        return {name.partition("://")[2][prefix:] for name, _, _ in listing(self.address)}

    def pull(self, name: str) -> bool:
        """Copy a file here; False if it is not there."""
        if not exists(self.at(name)):
            return False
        target = self.folder / name
        make_folder(target.parent)
        fetch(self.at(name), target)
        return True

    def push(self, name: str) -> None:
        """Upload a local file to the remote folder."""
        put(self.folder / name, self.at(name))

    def remove(self, name: str) -> None:
        """Delete a file of the remote folder."""
        remove(self.at(name))
