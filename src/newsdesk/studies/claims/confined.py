"""Run newsdesk in a process that writes below one folder alone, opens no connection and starts no other program.

    python -m newsdesk.studies.claims.confined FOLDER ARGUMENT…

Arguments were checked before (`arguments`); this is the second barrier: an audit hook of the interpreter, which cannot be removed again, refuses
what Python code does beyond that.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DEVICES = ("/dev/null", "/dev/tty", "/dev/shm")
# Event → the places of the paths among its arguments.
_PATHS = {
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.link": (1,),
    "os.mkdir": (0,),
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.utime": (0,),
    "sqlite3.connect": (0,),
}
_REFUSED = (
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pty.spawn",
    "socket.bind",
    "socket.connect",
    "socket.getaddrinfo",
    "subprocess.Popen",
)


class RefusedError(PermissionError):
    """Something that a claim may not do."""


def confine(folder: str) -> None:
    """Refuse from now on to write outside the folder, to connect and to start programs."""
    root = os.path.realpath(folder)

    def within(path: object) -> bool:
        if isinstance(path, int) or path == ":memory:":
            return True
        name = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]
        return name == root or name.startswith(root + os.sep) or name.startswith(_DEVICES)

    def hook(event: str, arguments: Sequence[Any]) -> None:
        if event in _REFUSED:
            raise RefusedError(f"a claim may not use {event}")
        if event == "open":
            path, mode, flags = arguments
            writes = bool((flags or 0) & _WRITING) or any(sign in (mode or "") for sign in "wax+")
            if writes and not within(path):
                raise RefusedError(f"a claim may not write {path!r}")
        for index in _PATHS.get(event, ()):
            if not within(arguments[index]):
                raise RefusedError(f"a claim may not change {arguments[index]!r}")

    sys.addaudithook(hook)


if __name__ == "__main__":
    _, root_folder, *words = sys.argv
    sys.argv = ["newsdesk", *words]
    confine(root_folder)
    runpy.run_module("newsdesk", run_name="__main__", alter_sys=True)
