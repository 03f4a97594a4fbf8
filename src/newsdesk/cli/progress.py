"""Progress on stderr, if that is a terminal: one function draws it, others feed it; warnings of the library are printed anywhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    import logging

    from rich.progress import TaskID

    from newsdesk.records import Reader
    from newsdesk.work.progress import OnProgress, Progress

T = TypeVar("T")

PATIENCE_S = 2.0
_EVERY_ITEMS = 100


@contextmanager
def drawn(description: str = "", *, patience_s: float = 0.0) -> Iterator[OnProgress]:
    """Yield a function that draws progress: sizes as a bar after some time, the rest as lines above."""
    from newsdesk.work.progress import silent

    if not sys.stderr.isatty():
        yield silent
        return
    drawing = _Drawing(description, patience_s)
    try:
        yield drawing
    finally:
        drawing.close()


def say_stage(stage: Progress) -> None:
    """Print the stage that begins on stderr, on a terminal or not."""
    click.echo(f"[{stage.done}/{stage.total}] {stage.step}", err=True)


class _Drawing:
    """A bar on stderr, a new one for every piece of work whose size is known."""

    def __init__(self, description: str, patience_s: float) -> None:
        self._description = description
        self._begin = time.monotonic() + patience_s
        self._bar: Any = None
        self._task: TaskID | None = None
        self._last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        """Draw or print one step."""
        if self._bar is None:
            if time.monotonic() < self._begin:
                return
            self._bar = _bar()
            self._bar.start()
        text = ": ".join(filter(None, (self._description, progress.step)))
        if progress.total is None and not self._description:
            self._bar.console.print(text, highlight=False, markup=False)
            return
        last = self._last
        if last is None or last.total != progress.total or (last.done or 0) > (progress.done or 0):
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(text, total=progress.total, count="")
        self._last = progress
        count = _count(progress)
        self._bar.update(self._task, description=text, completed=progress.done or 0, count=count)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()


def _count(progress: Progress) -> str:
    """Return how much is done: as "7/20", or as a share where the numbers would be bytes or fractions."""
    if progress.fraction is None:
        return f"{progress.done:,}" if progress.done else ""
    if progress.total == 1.0:
        return f"{progress.fraction:.0%}"
    return f"{progress.done}/{progress.total}"


def _bar() -> Any:
    # rich takes a tenth of a second to import: only those who wait for it pay.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def watched(
    items: Iterable[T], description: str, fraction: Callable[[], float | None]
) -> Iterator[T]:
    """Iterate with a progress bar; `fraction` returns the share done, or None if unknown."""
    if not sys.stderr.isatty():
        yield from items
        return
    from newsdesk.work.progress import Progress

    with drawn(description, patience_s=PATIENCE_S) as report:
        for number, item in enumerate(items):
            yield item
            if number % _EVERY_ITEMS == 0:
                report(Progress("", fraction(), 1.0))


def reading(reader: Reader[T], description: str | None = None) -> Iterator[T]:
    """Iterate over the records of a file with a progress bar, labelled with the file's name."""
    return watched(reader, description or Path(reader.path).name, lambda: reader.fraction)


@contextmanager
def reading_and_working(reader: Reader[T]) -> Iterator[tuple[Iterator[T], OnProgress]]:
    """Yield the records of a file, and a callback for long work on one of them: both are drawn on one bar."""
    from newsdesk.work.progress import Progress

    def records(report: OnProgress) -> Iterator[T]:
        for number, record in enumerate(reader):
            yield record
            if number % _EVERY_ITEMS == 0:
                report(Progress(Path(reader.path).name, reader.fraction, 1.0))

    with drawn(patience_s=PATIENCE_S) as report:
        yield records(report), report


@contextmanager
def log_on_stderr() -> Iterator[None]:
    """Show the library's log messages, such as training steps, on stderr if it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with _informed("%(message)s"):
        yield


@contextmanager
def log_with_times() -> Iterator[None]:
    """Show the library's log messages on stderr, each line with its time, wherever stderr goes."""
    with _informed("%(asctime)s %(name)s: %(message)s"):
        yield


@contextmanager
def _informed(line: str) -> Iterator[None]:
    import logging  # costs more than the rest of this module

    log = logging.getLogger("newsdesk")
    level = log.level
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(line))
    log.setLevel(logging.INFO)
    try:
        with _handled(handler):
            yield
    finally:
        log.setLevel(level)


@contextmanager
def library_warnings() -> Iterator[None]:
    """Print the warnings that the library logs, one of each kind: folds would repeat them."""
    import logging

    import click

    seen: set[str] = set()

    def emit(record: logging.LogRecord) -> None:
        if record.msg not in seen:
            seen.add(record.msg)
            click.secho(f"warning: {record.getMessage()}", err=True, fg="yellow")

    handler = logging.Handler(logging.WARNING)
    handler.emit = emit  # type: ignore[method-assign]
    with _handled(handler):
        yield


@contextmanager
def _handled(handler: logging.Handler) -> Iterator[None]:
    """Give the library's log messages to a handler alone: some packages print what reaches the root."""
    import logging

    log = logging.getLogger("newsdesk")
    propagates = log.propagate
    log.addHandler(handler)
    log.propagate = False
    try:
        yield
    finally:
        log.propagate = propagates
        log.removeHandler(handler)
