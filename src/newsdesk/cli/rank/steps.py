"""What the ranking commands show of a fit on stderr: its warnings always; its steps, with the time left, if that is a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from newsdesk.work.progress import Step


class _Printed(logging.Handler):
    """Prints a warning of each kind once: the folds of a comparison would repeat it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print the first record of its kind."""
        if record.msg not in self._seen:
            self._seen.add(record.msg)
            click.secho(f"warning: {record.getMessage()}", err=True, fg="yellow")


@contextmanager
def library_warnings() -> Iterator[None]:
    """Print the warnings that the library logs."""
    log, handler = logging.getLogger("newsdesk"), _Printed()
    propagates = log.propagate
    log.addHandler(handler)
    log.propagate = False  # the root may have a handler that prints them too
    try:
        yield
    finally:
        log.propagate = propagates
        log.removeHandler(handler)


@contextmanager
def fit_progress() -> Iterator[Callable[[Step], None] | None]:
    """A function that draws the steps of a fit; None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Drawn(bar)


class _Drawn:
    """Draws counted steps as a bar with the time left, a new one for each fit, and prints the others as lines above it."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task: TaskID | None = None
        self._last: Step | None = None

    def __call__(self, step: Step) -> None:
        """Draw or print one step."""
        if step.total is None or step.done is None:
            self._bar.console.print(step.text, highlight=False, markup=False)
            return
        last = self._last
        if last is None or last.total != step.total or (last.done or 0) > step.done:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(step.text, total=step.total)
        self._last = step
        if self._task is not None:
            self._bar.update(self._task, description=step.text, completed=step.done)
