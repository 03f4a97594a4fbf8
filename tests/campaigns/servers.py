"""A PostgreSQL server of our own, from the installed binaries: in a temporary folder, reachable through a socket in it alone."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

_DEBIAN = "/usr/lib/postgresql"
_USER = "postgres"


class NoServerError(Exception):
    """Why there is no PostgreSQL to test with."""


@contextlib.contextmanager
def postgres(*, durable: bool) -> Iterator[str]:
    """The URL of a fresh server, which is stopped at the end. `durable` waits for the disk, as a server in use does."""
    initdb, pg_ctl = _binary("initdb"), _binary("pg_ctl")
    prefix = _as_other_user()
    # The path of a socket may have 107 characters at most, so not below pytest's own folders.
    folder = Path(tempfile.mkdtemp(prefix="newsdesk-pg-", dir="/tmp"))
    data = folder / "data"
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync={'on' if durable else 'off'}"
    try:
        if prefix:
            shutil.chown(folder, _USER)
        _run([*prefix, initdb, "-D", str(data), "-U", _USER, "-A", "trust", "-E", "UTF8", "-N"])
        _run(
            [
                *prefix,
                pg_ctl,
                "-D",
                str(data),
                "-o",
                settings,
                "-l",
                str(folder / "log"),
                "-w",
                "start",
            ]
        )
        try:
            yield f"postgresql://{_USER}@/postgres?host={folder}"
        finally:
            _run([*prefix, pg_ctl, "-D", str(data), "-m", "immediate", "-w", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binary(name: str) -> str:
    program = shutil.which(name) or next(map(str, Path(_DEBIAN).glob(f"*/bin/{name}")), None)
    if program is None:
        raise NoServerError(f"PostgreSQL's {name} is not installed")
    return program


def _as_other_user() -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    if shutil.which("runuser") is None:
        raise NoServerError(
            "PostgreSQL does not run as root, and there is no runuser to change that"
        )
    return ["runuser", "-u", _USER, "--"]


def _run(command: list[str]) -> None:
    # The server keeps its parent's streams open, so nothing may wait for their end.
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, cwd="/")
        if done.returncode != 0:
            said.seek(0)
            raise NoServerError(
                f"{Path(command[-1]).name}: {' '.join(command)}: {said.read().strip()}"
            )
