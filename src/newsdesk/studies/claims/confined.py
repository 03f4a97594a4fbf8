"""Run newsdesk in a process that writes below one folder alone, opens no connection and starts no other program.

    python -m newsdesk.studies.claims.confined FOLDER ARGUMENT…

Arguments were checked before (`arguments`); this is the second barrier: an audit hook of the interpreter, which cannot be removed again, refuses
what newsdesk or a library would do beyond that. It confines code that means no harm and is led astray by its input. Code of a stranger it would not
hold: nothing here runs any, and nothing is imported from the folder.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DEVICES = ("/dev/null", "/dev/tty")
# Event → the places of the paths among its arguments, and of the folders (descriptors) that they are relative to.
_PATHS: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((1, 3),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.removexattr": ((0, None),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.setxattr": ((0, None),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
    "sqlite3.connect": ((0, None),),
}
_REFUSED = (
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.kill",
    "os.killpg",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pty.spawn",
    "socket.bind",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyaddr",
    "socket.gethostbyname",
    "socket.getnameinfo",
    "socket.sendmsg",
    "socket.sendto",
    "subprocess.Popen",
)


class RefusedError(PermissionError):
    """Something that a claim may not do."""


def confine(folder: str) -> None:
    """Refuse from now on to write outside the folder, to connect and to start programs."""
    root = os.path.realpath(folder)

    def within(path: Any, relative_to: int | None = None) -> bool:
        """Return whether a path, or the file of a descriptor, lies in the folder; `relative_to` is a descriptor or -1."""
        if path == ":memory:":
            return True
        name = f"/proc/self/fd/{path}" if isinstance(path, int) else os.fsdecode(path)
        if relative_to not in (None, -1):
            name = os.path.join(f"/proc/self/fd/{relative_to}", name)  # noqa: PTH118
        name = os.path.realpath(name)
        return name == root or name.startswith(root + os.sep) or name in _DEVICES

    def hook(event: str, arguments: Sequence[Any]) -> None:
        if event in _REFUSED:
            raise RefusedError(f"a claim may not use {event}")
        if event == "open":
            path, mode, flags = arguments
            writes = bool((flags or 0) & _WRITING) or any(sign in (mode or "") for sign in "wax+")
            # Standard streams and pipes are written by number. A folder that is opened outside would be where relative paths lead to.
            leads_out = mode is None and not isinstance(path, int) and os.path.isdir(path)  # noqa: PTH112
            if (leads_out or (writes and not isinstance(path, int))) and not within(path):
                raise RefusedError(f"a claim may not {'open' if leads_out else 'write'} {path!r}")
        for index, folder_index in _PATHS.get(event, ()):
            beside = None if folder_index is None else arguments[folder_index]
            if not within(arguments[index], beside):
                raise RefusedError(f"a claim may not change {arguments[index]!r}")

    sys.addaudithook(hook)


if __name__ == "__main__":
    _, root_folder, *words = sys.argv
    sys.argv = ["newsdesk", *words]
    confine(root_folder)
    runpy.run_module("newsdesk", run_name="__main__", alter_sys=True)
