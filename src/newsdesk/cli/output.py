"""What commands print and write: JSON, lines of JSON, whole texts, and no file replaced unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


def json_text(found: Any) -> str:
    """JSON on one line, with letters as they are."""
    return json.dumps(found, ensure_ascii=False)


def json_line(row: Any) -> bytes:
    """A row as one line of a JSONL file."""
    return json_text(row).encode("utf-8") + b"\n"


def write_text(path: str | Path, text: str, *, overwrite: bool = True) -> None:
    """Write a text whole or not at all; `-` is standard output."""
    from newsdesk.files import atomic

    with atomic(path, overwrite=overwrite) as stream:
        stream.write(text.encode("utf-8"))


def show(out: str, text: str, *, force: bool) -> None:
    """Print a table or JSON, as UTF-8 wherever it goes, or write it to a file."""
    if out == "-":
        click.echo(text.encode("utf-8"))
    else:
        write_text(out, text + "\n", overwrite=force)


def refuse_existing(path: str | Path, *, force: bool) -> None:
    """Say before long work, and not after it, that its file is there already."""
    from newsdesk.errors import FileError

    if Path(path).is_dir():
        raise FileError(f"{path}: is a folder, not a file")
    if Path(path).is_file() and not force:
        raise FileError(f"{path}: exists already; add --force to replace it")
