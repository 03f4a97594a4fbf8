"""Emit the result of a command: a table on standard output, JSON with --json, or a file with -o."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show, typed
from newsdesk.jsonl import json_text

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
