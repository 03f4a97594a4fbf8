"""`newsdesk records`: is a file what it should be, and foreign files in our own format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from newsdesk import records
from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.progress import reading
from newsdesk.cli.table import table
from newsdesk.errors import DataError, NewsdeskError
from newsdesk.jsonl import json_text

_type = click.option(
    "--type",
    "kind",
    type=click.Choice(list(records.KINDS)),
    help="The record type; found from the first line when left out.",
)
_format = click.option(
    "--format",
    type=click.Choice(["newsdesk", *records.FORMATS]),
    help="The file format; recognised when left out.",
)


@click.group("records")
def records_command() -> None:
    """Check and convert files of records."""


@records_command.command()
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@_type
@_format
@options.as_json
@options.printed
@options.force
def check(
    files: tuple[str, ...],
    kind: str | None,
    format: str | None,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> int:
    """Say what each file holds, or what is wrong with it and where.

    A file called manifest.json is checked against the files it names.

    \b
    Example:
      newsdesk records check clusters.jsonl
    """
    refuse_existing(out, force=force)
    rows = []
    for file in files:
        try:
            rows.append(_checked(file, kind, format))
        except NewsdeskError as error:
            rows.append({"file": file, "error": str(error)})
            click.secho(str(error), err=True, fg="red")
    if as_json:
        show(out, json_text({"files": rows}), force=force)
    elif good := [row for row in rows if "error" not in row]:
        columns = ("file", "type", "format", "records", "ignored")
        cells = [[_cell(row[name]) for name in columns] for row in good]
        show(out, table(columns, cells), force=force)
    return 1 if any("error" in row for row in rows) else 0


@records_command.command()
@click.argument("file")
@options.out
@_type
@_format
@click.option("--force", is_flag=True, help="Replace the file that is there.")
def convert(file: str, out: str, kind: str | None, format: str | None, *, force: bool) -> None:
    """Write a foreign file (WCEP, COCO, TREC, CSV, Parquet) in our own format, or ours as Parquet or TREC.

    \b
    Example:
      newsdesk records convert articles.csv --type article -o articles.jsonl
    """
    reader = _open(file, kind, format)
    count = records.write(out, reading(reader), overwrite=force)
    ignored = ", ".join(f"{key} ({n})" for key, n in sorted(reader.ignored.items()))
    click.echo(f"{count} records" + (f"; ignored: {ignored}" if ignored else ""), err=True)


def _open(file: str, kind: str | None, format: str | None) -> records.Reader[Any]:
    if kind is None:
        return records.read_any(file, format=format)
    return records.read(file, records.kind_named(kind), format=format)


def _checked(file: str, kind: str | None, format: str | None) -> dict[str, Any]:
    if Path(file).name == "manifest.json":
        return _checked_manifest(file)
    reader = _open(file, kind, format)
    for _ in reading(reader):
        pass
    return {
        "file": file,
        "type": records.name_of(reader.kind) if reader.kind else None,
        "format": reader.format,
        "records": reader.count,
        "ignored": dict(reader.ignored),
    }


def _checked_manifest(file: str) -> dict[str, Any]:
    for name, reason in records.changed_files(file):
        raise DataError(f"{name} is not what the manifest says: {reason}", file=file)
    count = len(records.read_manifest(file).files)
    return {"file": file, "type": "manifest", "format": None, "records": count, "ignored": {}}


def _cell(value: Any) -> str | int | None:
    if isinstance(value, dict):
        return ", ".join(f"{key} ({n})" for key, n in sorted(value.items())) or None
    return value
