"""What commands print and write: texts on standard output or in files, and no file replaced unasked."""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

import click


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
            place = words.index(name)
            del words[place : place + 2]
    return shlex.join(["newsdesk", *(word for word in words if word != "--force")])


def refuse_existing(path: str | Path, *, force: bool) -> None:
    """Raise FileError if the output exists already; called before long work."""
    from newsdesk.errors import FileError

    if Path(path).is_dir():
        raise FileError(f"{path}: is a folder, not a file")
    if Path(path).is_file() and not force:
        raise FileError(f"{path}: exists already; add --force to replace it")


def refuse_same_output(paths: Mapping[str, str | Path | None]) -> None:
    """Raise UsageError if two output options (name → path, None if not used) name one file, or both standard output.

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
