"""The settings of the web app, and the layout of its data folder, the same that `newsdesk demo` writes.

campaigns/newsdesk.db    the store of campaigns, judgments and access
newsroom/*.jsonl         events, clusters, outputs, threads: the files that campaigns are created from
models/NAME/             fitted models, by name
files/ID/                files that people brought, and what was computed from them
studies/ID/              studies that were started from a form
service/secret           the key that signs sessions; created at the first start, readable by its owner alone
service/coral            the signing secrets of Coral's moderation phases, one a line; written by an admin
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newsdesk.errors import ArgumentError, FileError
from newsdesk.files import make_folder
from newsdesk.settings import at_least

STORE = Path("campaigns", "newsdesk.db")
NEWSROOM = "newsroom"
MODELS = "models"
FILES = "files"
STUDIES = "studies"
SECRET = Path("service", "secret")
CORAL = Path("service", "coral")

_RECORDS = (".jsonl", ".jsonl.gz")
_LEAST_SECRET = 16  # characters: shorter ones can be searched


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A folder of data and where things lie in it."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> DataFolder:
        """Return the data folder at this path, created with the folders that the service writes to.

        It and its store are its owner's alone: they hold names, answers, and what signs people in.
        """
        folder = cls(make_folder(root).resolve())
        for part in (Path(), STORE.parent, SECRET.parent):
            with contextlib.suppress(PermissionError):  # another user's, who decides about it
                make_folder(folder.root / part).chmod(0o700)
        with contextlib.suppress(FileNotFoundError, PermissionError):
            (folder.root / STORE).chmod(0o600)
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
            file.name
            for file in self.newsroom.iterdir()
            if file.is_file() and file.name.endswith(_RECORDS) and not file.name.startswith(".")
        )

    @property
    def files(self) -> Path:
        """The folder of files that people brought."""
        return self.root / FILES

    @property
    def studies(self) -> Path:
        """The folder of studies that were started from a form."""
        return self.root / STUDIES

    def record_file(self, name: str) -> Path:
        """Return the path of a record file that is in the newsroom; any other name is refused."""
        if name not in self.record_files():
            raise ArgumentError(f"{name!r} is not a file of the newsroom")
        return self.newsroom / name

    def coral_secrets(self) -> list[str]:
        """Return the secrets that Coral signs with, as an admin wrote them; none if there is no file."""
        path = self.root / CORAL
        lines = path.read_text("utf-8").split() if path.is_file() else []
        if any(len(secret) < _LEAST_SECRET for secret in lines):
            raise FileError(
                f"{path}: a secret has fewer than {_LEAST_SECRET} characters; copy it from Coral"
            )
        return lines

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


VARIABLE = "NEWSDESK_SERVE"  # how the settings reach worker processes of the server

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_MIB = 1 << 20
_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]+")
_ROOT_PATH = re.compile(r"((/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+)?")
_SITE = re.compile(r"https?://(\*\.)?[a-z0-9_.-]+(:\d{1,5})?")


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How the web app runs: sizes in bytes, times in seconds, rates per minute and caller."""

    data: Path
    store: str | None = None  # the URL of the store; None: the SQLite file of the data folder
    processes: int = 1  # that do heavy work
    max_body_bytes: int = 8 * _MIB
    max_upload_bytes: int = 64 * _MIB
    max_items: int = 10_000  # of a list in one request
    request_timeout_s: float = 60.0
    work_timeout_s: float = 300.0
    session_s: float = 30 * 24 * 3600.0
    sign_ins_per_minute: int = 20
    requests_per_minute: int = 1_200
    hosts: tuple[str, ...] = LOOPBACK  # that requests may name, without a port; lower case
    proxies: tuple[str, ...] = ()  # addresses and networks whose X-Forwarded-For and -Proto count
    embedders: tuple[str, ...] = ()  # sites that may show embedded threads, as https://example.org
    root_path: str = ""  # under which a proxy serves it, as /newsdesk
    max_connections: int = 1_000  # fewer where the process may not open as many files
    max_connections_per_address: int = 200  # but of a proxy
    head_timeout_s: float = 10.0  # from the first byte of a request to the end of its head
    stall_timeout_s: float = 60.0  # for which a client may leave its answer unread

    def __post_init__(self) -> None:
        for name in ("processes", "max_items", "max_connections", "max_connections_per_address"):
            at_least(name, getattr(self, name), 1)
        for host in self.hosts:
            if not _HOST.fullmatch(host):
                raise ArgumentError(
                    f"{host!r} is not a host; write a name or an address without a scheme or a port"
                )
        for site in self.embedders:
            if not _SITE.fullmatch(site):
                raise ArgumentError(
                    f"{site!r} is not a site; write its scheme and host, as https://www.example.org"
                )
        if not _ROOT_PATH.fullmatch(self.root_path):
            raise ArgumentError(
                f"{self.root_path!r} is not a root path; write it as /newsdesk, without a slash at the end"
            )
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError as error:
                raise ArgumentError(
                    f"{proxy!r} is not the address of a proxy; write 192.0.2.7 or 192.0.2.0/24"
                ) from error

    def as_json(self) -> str:
        """Return the settings as text, for the environment of worker processes."""
        return json.dumps({**asdict(self), "data": str(self.data)})

    @classmethod
    def from_json(cls, text: str) -> ServiceSettings:
        """Read the settings back from `as_json`."""
        values: Mapping[str, Any] = json.loads(text)
        lists = {name: tuple(values[name]) for name in ("hosts", "proxies", "embedders")}
        return cls(**{**values, **lists, "data": Path(values["data"])})
