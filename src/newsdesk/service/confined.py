"""Commands of newsdesk run for a program that is not trusted: read-only, on the files of one folder, bounded in size and time.

`Confined.file` and `Confined.model` return the name of a file inside the folder, links resolved. `Confined.run` runs a command as a process of its own, which can
write no file and connect to nothing, gets no secret from the environment, and is killed when its time is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import stat
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from newsdesk.errors import ArgumentError, NewsdeskError
from newsdesk.settings import at_least

_MEMORY_BYTES = 8 << 30
_MOST_NOTES = 1 << 16  # bytes of messages
_MOST_FILES = 1_000  # in the folder of a model
# Isolated from the folder: no module is imported from it, no file is written or removed, nothing is connected to, memory is bounded.
_START = f"""
import runpy, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY_BYTES}, {_MEMORY_BYTES}))
except ImportError:
    pass
sys.argv[0] = "confined"
runpy.run_module("newsdesk.studies.claims.confined", run_name="__main__", alter_sys=True)
"""
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV")
_SPEC = re.compile(r"""[\w.,()='"\[\]{}+\- ]*""")


class NotAllowedError(NewsdeskError):
    """What a confined caller may not do, or what took too long."""


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a command printed, and its messages line by line."""

    output: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Confined:
    """A folder whose files commands may read, with limits in seconds and megabytes."""

    folder: Path
    timeout_s: float = 120.0
    most_megabytes: int = 64
    most_output_megabytes: int = 4

    def __post_init__(self) -> None:
        for name in ("timeout_s", "most_megabytes", "most_output_megabytes"):
            at_least(name, getattr(self, name), 1)
        if not self.folder.is_dir():
            raise ArgumentError(f"{self.folder} is not a folder")

    def file(self, name: str) -> str:
        """Return a file of the folder as an argument of a command, or refuse it."""
        path = self._inside(name)
        try:
            state = path.stat()
        except OSError as error:
            raise NotAllowedError(f"{name}: no such file in the data folder") from error
        if not stat.S_ISREG(state.st_mode):
            raise NotAllowedError(f"{name} is not a file")
        if state.st_size > self.most_megabytes << 20:
            raise NotAllowedError(f"{name} is larger than {self.most_megabytes} MB")
        return self._argument(path)

    def model(self, name: str) -> str:
        """Return `ready`, or the folder of a model inside the data folder, or refuse it."""
        if name == "ready":
            return name
        path = self._inside(name)
        if not path.is_dir():
            raise NotAllowedError(
                f"{name}: no such model in the data folder; `ready` is the one that ships"
            )
        for count, part in enumerate(path.rglob("*"), 1):
            if count > _MOST_FILES:
                raise NotAllowedError(f"{name} holds too many files for a model")
            if not part.is_dir():
                self.file(str(part.relative_to(self._root)))
        return self._argument(path)

    def spec(self, text: str) -> str:
        """Return a list of specs of methods, or refuse one that names an address or a file outside of the folder."""
        if not _SPEC.fullmatch(text):
            raise NotAllowedError(
                f"{text!r} holds more than names and plain settings; models at addresses or paths are not used here"
            )
        for value in re.findall(r"""['"]([^'"]*)['"]""", text):
            if value and os.path.lexists(self._root / value):
                self.file(value)
        return text

    async def run(self, arguments: Sequence[str]) -> CommandOutput:
        """Run a command and return what it printed; NotAllowedError with its message where it fails."""
        with tempfile.TemporaryDirectory() as nothing:  # the one folder in which it may write
            return await self._run(nothing, arguments)

    async def _run(self, nothing: str, arguments: Sequence[str]) -> CommandOutput:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-c", _START, nothing, *arguments),
            cwd=self._root,
            env=_environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None and process.stderr is not None  # both are pipes
        most = self.most_output_megabytes << 20
        try:
            async with asyncio.timeout(self.timeout_s):
                output, messages = await asyncio.gather(
                    _first(process.stdout, most + 1), _first(process.stderr, _MOST_NOTES)
                )
                code = await process.wait()
        except TimeoutError:
            raise NotAllowedError(
                f"not finished after {self.timeout_s:g} s; ask for less"
            ) from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                # A pipe that nobody reads never ends, and with it the wait.
                await asyncio.gather(_first(process.stdout, 0), _first(process.stderr, 0))
                await process.wait()
        if len(output) > most:
            raise NotAllowedError(
                f"the answer is larger than {self.most_output_megabytes} MB; ask for less"
            )
        notes = tuple(line for line in messages.decode("utf-8", "replace").splitlines() if line)
        if code not in (0, 3):  # 3: done, but something was rejected
            raise NotAllowedError(notes[-1] if notes else f"the command ended with code {code}")
        return CommandOutput(output.decode("utf-8", "replace"), notes)

    @property
    def _root(self) -> Path:
        return self.folder.resolve()

    def _inside(self, name: str) -> Path:
        if not name or "\0" in name:
            raise NotAllowedError(f"{name!r} is not the name of a file")
        path = (self._root / name).resolve()
        if path == self._root or not path.is_relative_to(self._root):
            raise NotAllowedError(f"{name} is not inside the data folder")
        return path

    def _argument(self, path: Path) -> str:
        return f"./{path.relative_to(self._root)}"  # never taken for an option, an address or standard input


async def _first(stream: asyncio.StreamReader, most: int) -> bytes:
    """Read to the end, but keep so many bytes only."""
    kept = bytearray()
    while chunk := await stream.read(1 << 16):
        kept += chunk[: most - len(kept)]
    return bytes(kept)


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    return {**kept, **threads, "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1"}
