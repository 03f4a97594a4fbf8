"""Read threads in every command by one door: our own files, files of comments, exports of comment systems.

`reads_threads` adds --map, --input-format and --dates to a command and hands it a `ThreadFiles`. When the command is done, what the files held that was not used is listed on stderr,
once a file, and rejected rows make the exit code 3.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli.options import Command, Decorator, group, input_file, option
from newsdesk.errors import NewsdeskError
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.records import Reader
    from newsdesk.types import Thread

THREAD_FORMATS = (
    "newsdesk",
    "flat",
    "nested",
    "disqus",
    "coral",
    "wordpress",
    "mastodon",
    "activitystreams",
    "bluesky",
    "csv",
    "qrels",
    "tencent",
    "tencent-words",
)
SOME_REJECTED = 3

mapped = option(
    "--map",
    "mapping",
    "Columns of a file of comments, such as article=story,text=body; comments=PATH names the list in JSON, sheet=NAME the sheet of a workbook; FIELD= leaves a field out.",
    multiple=True,
    metavar="FIELD=COLUMN,...",
)
dates = option(
    "--dates",
    "Order of dates such as 5/11/2026: day or month first; default: as a row of the file proves.",
    type=click.Choice(["dmy", "mdy"]),
)
weights = option(
    "--weights",
    "Map from a comment's score to its weight: minmax[LOW,HIGH], max or itemmax; default: scores from 0 to 1 as they are.",
    metavar="MAPPING",
)
_format = option(
    "--input-format",
    "thread_format",
    "Format of files of comments; default: detected.",
    type=click.Choice(THREAD_FORMATS),
)


class ThreadFiles:
    """Opens files of threads as the options say, and remembers what was not used of each."""

    def __init__(self, columns: Mapping[str, str], format: str | None, dates: str | None) -> None:
        self._columns = columns
        self._format = format
        self._dates = dates
        self._readers: list[Reader[Thread]] = []

    @property
    def named(self) -> bool:
        """True if an option says how files of comments are to be read."""
        return bool(self._columns or self._format)

    def read(self, path: str) -> Reader[Thread]:
        """Return the threads of a file, in the format and columns of the options."""
        from newsdesk import records
        from newsdesk.types import Thread

        reader = records.read(
            path, Thread, format=self._format, columns=self._columns, dates=self._dates
        )
        self._readers.append(reader)
        return reader

    def report(self) -> bool:
        """Print what was not used, once for a file that was read twice; return True if a row was rejected."""
        lines = [line for reader in self._readers for line in sentences(reader)]
        for line in dict.fromkeys(lines):
            click.echo(line, err=True)
        return any(reader.account.rejected for reader in self._readers)


def reads_threads(command: Command) -> Command:
    """Give a command the options of files of threads, and a `ThreadFiles` as the argument `files`."""

    @mapped
    @_format
    @dates
    @functools.wraps(command)
    def reading(
        *arguments: Any,
        mapping: tuple[str, ...],
        thread_format: str | None,
        dates: str | None,
        **options: Any,
    ) -> Any:
        files = ThreadFiles(parsed(mapping), thread_format, dates)
        try:
            code = command(*arguments, files=files, **options)
        except NewsdeskError:
            files.report()  # what was not read may be the cause
            raise
        return SOME_REJECTED if files.report() and not code else code

    return reading


def split_files(instead_of: str, *, repeatable: bool = False) -> Decorator:
    """Return --train, --dev and --test: parts of a corpus in files, not divided by the command."""
    each = "; repeatable" if repeatable else ""
    parts = "Dev threads: one file for all, or one per --train." if repeatable else "Dev threads."
    return group(
        input_file(
            "--train", f"Training threads, instead of {instead_of}{each}.", multiple=repeatable
        ),
        input_file("--dev", parts, multiple=repeatable),
        input_file("--test", "With --train: test threads."),
    )


def check_split(threads: str | None, *, train: bool, dev: bool, test: bool, verb: str) -> None:
    """Raise a usage error unless either THREADS are named, or training and test files."""
    if bool(threads) == train or train != test or (dev and not train):
        raise click.UsageError(f"name THREADS to {verb}, or --train and --test (and --dev)")


def parsed(mapping: tuple[str, ...]) -> dict[str, str]:
    """Return the columns of --map by field; what cannot be read is a usage error."""
    from newsdesk.errors import ArgumentError
    from newsdesk.records.comments.flat import parse_map

    try:
        return parse_map(mapping)
    except ArgumentError as error:
        raise click.BadParameter(str(error), param_hint="--map") from None


def sentences(reader: Reader[Any]) -> list[str]:
    """Return what a reader of comments did not use, in sentences; none for a file of our own records."""
    account, file = reader.account, reader.path
    lines = [f"{file}: {note}" for note in account.notes]
    if account.ignored:
        columns = plural(len(account.ignored), "column")
        lines.append(f"{file}: {columns} not used: {', '.join(account.ignored)}")
    if account.marked_up:
        texts = plural(account.marked_up, "comment")
        lines.append(f"{file}: the HTML of {texts} was read as text")
    if account.skipped:
        skipped = plural(account.skipped.total(), "comment")
        lines.append(f"{file}: {skipped} skipped: {_counts(account.skipped)}")
    if account.rejected:
        rows = plural(account.rejected.total(), "row")
        reasons = ", ".join(
            f"{reason} ({count}, first in line {account.first[reason]})"
            for reason, count in account.rejected.items()
        )
        lines.append(f"{file}: {rows} rejected: {reasons}")
    return lines


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counter.items())
