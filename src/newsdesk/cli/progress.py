"""A progress bar on stderr for work that takes more than two seconds, and none when stderr is not a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from newsdesk.records import Reader

T = TypeVar("T")


class Progressing(Protocol):
    """How far an engine has come: units begun, and the share that is done, from 0 to 1."""

    @property
    def units(self) -> int: ...  # noqa: D102

    @property
    def fraction(self) -> float: ...  # noqa: D102


PATIENCE_S = 2.0


def watched(
    items: Iterable[T], description: str, fraction: Callable[[], float | None]
) -> Iterator[T]:
    """Iterate over items with a progress bar; `fraction` returns the share done, from 0 to 1, or None if unknown."""
    if not sys.stderr.isatty():
        yield from items
        return
    started = time.monotonic()
    source = iter(items)
    for item in source:
        yield item
        if time.monotonic() - started > PATIENCE_S:
            break
    yield from _with_bar(source, description, fraction)


def reading(reader: Reader[T], description: str | None = None) -> Iterator[T]:
    """Iterate over the records of a file with a progress bar, labelled with the file's name."""
    return watched(reader, description or Path(reader.path).name, lambda: reader.fraction)


@contextmanager
def counted(description: str, total: int | None = None) -> Iterator[Callable[[object], None]]:
    """A progress bar over counted work: yields the function to call after each unit."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress, TimeElapsedColumn

    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.advance(task)


@contextmanager
def throughput(description: str, unit: str) -> Iterator[Callable[[Progressing], None]]:
    """A function that is told how far an engine has come; shows units a second and the time left."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    speed = TextColumn("{task.fields[speed]}")
    columns = (TextColumn("{task.description}"), BarColumn(), speed, TimeRemainingColumn())
    started = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=1.0, speed="")

        def show(progress: Progressing) -> None:
            rate = progress.units / max(time.monotonic() - started, 1e-3)
            shown = f"{progress.units:,} {unit}, {rate:,.0f}/s"
            bar.update(task, completed=progress.fraction, speed=shown)

        yield show


@contextmanager
def log_on_stderr() -> Iterator[None]:
    """Show the library's log messages, such as training steps, on stderr if it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    import logging  # costs more than the rest of this module

    log = logging.getLogger("newsdesk")
    handler, level = logging.StreamHandler(sys.stderr), log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False  # some packages print whatever reaches the root
    try:
        yield
    finally:
        log.propagate = True
        log.removeHandler(handler)
        log.setLevel(level)


def _with_bar(
    items: Iterator[T], description: str, fraction: Callable[[], float | None]
) -> Iterator[T]:
    # rich takes a tenth of a second to import: only those who wait for it pay.
    from rich.console import Console
    from rich.progress import Progress, TimeElapsedColumn

    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        for count, item in enumerate(items):
            yield item
            if count % 100 == 0 and (done := fraction()) is not None:
                bar.update(task, total=1.0, completed=done)
