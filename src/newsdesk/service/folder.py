"""The data folder of the web app: the same layout that `newsdesk demo` writes.

campaigns/newsdesk.db    the store of campaigns, judgments and access
newsroom/*.jsonl         events, clusters, outputs, threads: the files that campaigns are created from
models/NAME/             fitted models, by name
service/secret           the key that signs sessions; created at the first start, readable by its owner alone
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from newsdesk.errors import ArgumentError, FileError
from newsdesk.files import make_folder

STORE = Path("campaigns", "newsdesk.db")
NEWSROOM = "newsroom"
MODELS = "models"
SECRET = Path("service", "secret")

_RECORDS = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A folder of data and where things lie in it."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> DataFolder:
        """Return the data folder at this path, created with the folders that the service writes to."""
        folder = cls(make_folder(root).resolve())
        for part in (STORE.parent, SECRET.parent):
            make_folder(folder.root / part)
        return folder

    @property
    def store_url(self) -> str:
        """The URL of the folder's own store."""
        return f"sqlite:///{self.root / STORE}"

    @property
    def newsroom(self) -> Path:
        """The folder of record files."""
        return self.root / NEWSROOM

    @property
    def models(self) -> Path:
        """The folder of fitted models."""
        return self.root / MODELS

    def record_files(self) -> list[str]:
        """Return the names of the record files in the newsroom, in order."""
        if not self.newsroom.is_dir():
            return []
        return sorted(
            each.name
            for each in self.newsroom.iterdir()
            if each.is_file() and each.name.endswith(_RECORDS) and not each.name.startswith(".")
        )

    def record_file(self, name: str) -> Path:
        """Return the path of a record file that is in the newsroom; any other name is refused."""
        if name not in self.record_files():
            raise ArgumentError(f"{name!r} is not a file of the newsroom")
        return self.newsroom / name

    def secret(self) -> bytes:
        """Return the key that signs sessions; created once, atomically, so that several processes agree on it."""
        path = self.root / SECRET
        if not path.exists():
            part = path.with_name(f".secret.{os.getpid()}.{secrets.token_hex(4)}")
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as stream:
                stream.write(secrets.token_hex(32))
                stream.flush()
                os.fsync(stream.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(
                    part, path
                )  # unlike a rename, this never replaces the key of another process
            part.unlink()
        key = path.read_bytes().strip()
        if len(key) < 32:
            raise FileError(f"{path}: is damaged; remove it, and everybody signs in again")
        return key
