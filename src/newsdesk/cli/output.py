"""What commands print and write: texts on standard output or in files, and no file replaced unasked."""

from __future__ import annotations

from pathlib import Path

import click


def show(out: str, text: str, *, force: bool) -> None:
    """Print a table or JSON, as UTF-8 wherever it goes, or write it to a file."""
    if out == "-":
        click.echo(text.encode("utf-8"))
    else:
        from newsdesk.files import write_text

        write_text(out, text + "\n", overwrite=force)


def refuse_existing(path: str | Path, *, force: bool) -> None:
    """Raise FileError if the output exists already; called before long work."""
    from newsdesk.errors import FileError

    if Path(path).is_dir():
        raise FileError(f"{path}: is a folder, not a file")
    if Path(path).is_file() and not force:
        raise FileError(f"{path}: exists already; add --force to replace it")
