"""Emit the result of a command: a table on standard output, JSON with --json, or a file with -o."""

from __future__ import annotations

import functools
import itertools
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from newsdesk.cli import options


def show(out: str, text: str, *, force: bool) -> None:
    """Print a table or JSON, as UTF-8 wherever it goes, or write it to a file."""
    if out == "-":
        click.echo(text.encode("utf-8"))
    else:
        from newsdesk.files import write_text

        write_text(out, text + "\n", overwrite=force)


def typed() -> str:
    """Return the command line as it was typed, without where it writes: what a page shows to run it again."""
    words = list(click.get_current_context().find_root().meta.get("newsdesk.arguments", ()))
    for name in ("-o", "--out"):
        if name in words[:-1]:
            index = words.index(name)
            del words[index : index + 2]  # the option and its value
    return shlex.join(["newsdesk", *(word for word in words if word != "--force")])


def refuse_existing(path: str | Path, *, force: bool) -> None:
    """Raise FileError if the output exists already or cannot be written; called before long work."""
    from newsdesk.addresses import is_address
    from newsdesk.errors import FileError
    from newsdesk.files import check_writable

    if Path(path).is_dir():
        raise FileError(f"{path}: is a folder, not a file")
    if Path(path).is_file() and not force:
        raise FileError(f"{path}: exists already; add --force to replace it")
    if not Path(path).parent.is_dir() and not is_address(str(path)):
        raise FileError(f"{path}: there is no folder {str(Path(path).parent)!r}")
    check_writable(path)


def refuse_same_output(paths: Mapping[str, str | Path | None]) -> None:
    """Raise UsageError if two output options (name → path, or None) name one file or stream.

    Relative and absolute forms, symbolic links and hard links of one file are the same file.
    """
    used = [(name, str(path)) for name, path in paths.items() if path]
    for (first, one), (second, other) in itertools.combinations(used, 2):
        if _is_same(one, other):
            where = "standard output" if one == "-" else repr(other)
            raise click.UsageError(
                f"{first} and {second} both write to {where}; name a file for each"
            )


def _is_same(one: str, other: str) -> bool:
    if "-" in (one, other):
        return one == other
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return Path(one).samefile(other)
    except OSError:  # one of them does not exist
        return False


T = TypeVar("T")
_EXCERPT = 70


@dataclass(frozen=True, slots=True)
class Emit:
    """Prints a result, or writes it to the file of -o: NAME.json as JSON, NAME.html as a page."""

    out: str = "-"
    as_json: bool = False
    force: bool = False

    def __call__(
        self,
        result: T,
        to_text: Callable[[T], str] = lambda result: result.text(),  # type: ignore[attr-defined]
        to_json: Callable[[T], Mapping[str, Any]] = lambda result: result.as_json(),  # type: ignore[attr-defined]
        *,
        page: str | None = None,
        command: str | None = None,
        err: bool = False,
    ) -> None:
        """Emit a result; `page` is the title of its page, `command` what the page shows as its origin."""
        if page and self.out.endswith(".html"):
            from newsdesk.studies.report import result_page

            text = result_page(dict(to_json(result)), command or typed(), page).rstrip("\n")
        elif self.as_json or self.out.endswith(".json"):
            from newsdesk.jsonl import json_text

            text = json_text(to_json(result))
        else:
            text = to_text(result)
        if err:  # the records themselves are on standard output
            click.echo(text.encode("utf-8"), err=True)
        else:
            show(self.out, text, force=self.force)


def emits_as(
    json_help: str = "Print JSON instead of a table.",
    out_help: str = "Output file; `-` is standard output.",
) -> options.Decorator:
    """Give a command --json, -o and --force as the argument `emit`; an existing file is refused at once."""

    def decorated(command: options.Command) -> options.Command:
        @options.as_json(json_help)
        @options.printed(out_help)
        @options.force
        @functools.wraps(command)
        def emitting(*arguments: Any, out: str, as_json: bool, force: bool, **rest: Any) -> Any:
            if out != "-":
                refuse_existing(out, force=force)
            return command(*arguments, emit=Emit(out, as_json, force), **rest)

        return emitting

    return decorated


def prints_as(json_help: str = "Print JSON instead of a table.") -> options.Decorator:
    """Give a command --json as the argument `emit`, which prints; its files have options of their own."""

    def decorated(command: options.Command) -> options.Command:
        @options.as_json(json_help)
        @functools.wraps(command)
        def printing(*arguments: Any, as_json: bool, **rest: Any) -> Any:
            return command(*arguments, emit=Emit(as_json=as_json), **rest)

        return printing

    return decorated


emits, prints = emits_as(), prints_as()


def note(text: str) -> None:
    """Print a note on stderr."""
    click.echo(f"note: {text}", err=True)


def one_line(text: str) -> str:
    """Shorten a text to one line without what a terminal would obey."""
    line = "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 1]}…"
