"""A program as a judge: tasks as JSON lines on its standard input, answers as JSON lines on its standard output."""

from __future__ import annotations

import contextlib
import json
import queue
import shlex
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from newsdesk.campaigns.judges.sheet import JudgeSheet
from newsdesk.errors import ArgumentError, DataError
from newsdesk.jsonl import json_text
from newsdesk.records.schema import parse_line
from newsdesk.types import Value

_LONGEST_LINE = 1 << 20
_END = None
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class CommandJudge:
    """A command line without a shell; it may answer in any order, and answers at once or at the end.

    It is stopped where no answer comes for `timeout_s` seconds.
    """

    command: str
    timeout_s: float = 600.0

    @property
    def name(self) -> str:
        """The command line."""
        return self.command

    def answers(
        self, sheets: Iterable[JudgeSheet]
    ) -> Iterator[tuple[JudgeSheet, Mapping[tuple[str, str], Value] | str]]:
        """Run the program and yield its answers as they come."""
        waiting = {sheet.id: sheet for sheet in sheets}
        if not waiting:
            return
        process = self._started()
        lines: queue.Queue[str | None] = queue.Queue()
        threads = [
            threading.Thread(target=_write, args=(process, list(waiting.values())), daemon=True),
            threading.Thread(target=_read, args=(process, lines), daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            while (line := self._next(lines)) is not _END:
                if not line.strip():
                    continue
                sheet, values = _answer(line, waiting, self.command)
                yield sheet, sheet.read(values)
            if code := process.wait(timeout=self.timeout_s):
                raise DataError(f"{self.command}: ended with code {code}; {len(waiting)} tasks have no answer yet")  # fmt: skip
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            for thread in threads:
                thread.join(_PATIENCE_S)  # a program of the program may hold the pipes
        if waiting:
            raise DataError(f"{self.command}: {len(waiting)} tasks have no answer, the first is {next(iter(waiting))!r}")  # fmt: skip

    def _started(self) -> subprocess.Popen[str]:
        try:
            arguments = shlex.split(self.command)
            return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")  # fmt: skip
        except (OSError, ValueError, IndexError) as error:
            raise ArgumentError(f"{self.command!r} cannot be run: {error}") from error

    def _next(self, lines: queue.Queue[str | None]) -> str | None:
        try:
            return lines.get(timeout=self.timeout_s)
        except queue.Empty:
            raise DataError(f"{self.command}: no answer for {self.timeout_s:g} s; the answers so far are stored") from None  # fmt: skip


def _write(process: subprocess.Popen[str], sheets: list[JudgeSheet]) -> None:
    assert process.stdin is not None  # it is a pipe
    # Where the program ended early, reading says why.
    with contextlib.suppress(OSError, ValueError), process.stdin:
        for sheet in sheets:
            process.stdin.write(json_text(sheet.as_json()) + "\n")
            process.stdin.flush()


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None  # it is a pipe
    with contextlib.suppress(OSError, ValueError), process.stdout:
        while line := process.stdout.readline(_LONGEST_LINE):
            lines.put(line)
    lines.put(_END)


def _answer(line: str, waiting: dict[str, JudgeSheet], command: str) -> tuple[JudgeSheet, object]:
    """Return the sheet that a line answers, which no longer waits, and its values."""
    try:
        row = parse_line(line)
    except DataError as error:
        raise DataError(f"{command}: an answer is no JSON object: {error}") from error
    identifier = row.get("task")
    sheet = waiting.pop(identifier, None) if isinstance(identifier, str) else None
    if sheet is None:
        shown = json.dumps(identifier)[:40]
        raise DataError(f"{command}: an answer to task {shown}, which was not asked or is answered already")  # fmt: skip
    return sheet, row.get("values")
