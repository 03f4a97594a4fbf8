"""`newsdesk records`: validate files of records and convert them between formats."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits, show
from newsdesk.cli.lazy import LazyGroup
from newsdesk.cli.options import option
from newsdesk.cli.threads import SOME_REJECTED, dates, mapped, parsed, sentences
from newsdesk.registry import FORMATS, RECORDS
from newsdesk.wording import plural

# What a file holds.
described = options.group(
    option(
        "--type",
        "kind",
        "Record type; default: detected from the first line.",
        type=click.Choice(list(RECORDS)),
    ),
    option(
        "--input-format",
        "format",
        "File format; default: detected.",
        type=click.Choice(["newsdesk", *FORMATS]),
    ),
    mapped,
    dates,
)

VERBS = {
    "check": (
        "records",
        "Validate files: print what each holds, or its first error with its line.",
    ),
    "convert": (
        "records",
        "Convert WCEP, COCO, TREC, CSV, Parquet and comment exports to our format, or ours to Parquet or TREC.",
    ),
    "schema": ("records", "Print the JSON Schema of a record type."),
}


@click.command("records", cls=LazyGroup, package="newsdesk.cli", table=VERBS)
def records_command() -> None:
    """Validate files of records and convert them between formats.

    \b
    Example:
      newsdesk records check clusters.jsonl
    """


@click.command("check")
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@described
@emits
def check_command(
    files: tuple[str, ...],
    kind: str | None,
    format: str | None,
    mapping: tuple[str, ...],
    dates: str | None,
    *,
    emit: Emit,
) -> int:
    """Validate files: print what each holds, or its first error with its line.

    A file called manifest.json is checked against the files that it lists.

    \b
    Example:
      newsdesk records check clusters.jsonl
    """
    from newsdesk.cli.progress import reading
    from newsdesk.errors import NewsdeskError
    from newsdesk.records import check_file

    columns = parsed(mapping)
    rows: list[dict[str, Any]] = []
    for file in files:
        try:
            checked = check_file(file, kind, format, columns=columns, dates=dates, progress=reading)
            for sentence in checked.notes:
                click.echo(f"{file}: {sentence}", err=True)
            row = asdict(checked)
            optional = ("rejected", "notes")
            rows.append({name: row[name] for name in row if row[name] or name not in optional})
        except NewsdeskError as error:
            rows.append({"file": file, "error": str(error)})
            click.secho(str(error), err=True, fg="red")
    if emit.as_json or any("error" not in row for row in rows):
        emit(rows, _check_table, lambda rows: {"files": rows})
    if any("error" in row for row in rows):
        return 1
    return SOME_REJECTED if any("rejected" in row for row in rows) else 0


def _check_table(rows: list[dict[str, Any]]) -> str:
    from newsdesk.results.table import table

    good = [row for row in rows if "error" not in row]
    header = ["file", "type", "format", "records", "ignored"]
    header += ["rejected"] if any("rejected" in row for row in good) else []
    return table(header, [[_cell(row.get(name)) for name in header] for row in good])


def _cell(value: Any) -> str | int | None:
    if isinstance(value, dict):
        return ", ".join(f"{key} ({n})" for key, n in sorted(value.items())) or None
    return value


@click.command("convert")
@click.argument("file")
@options.out
@described
@options.force
def convert_command(
    file: str,
    out: str,
    kind: str | None,
    format: str | None,
    mapping: tuple[str, ...],
    dates: str | None,
    *,
    force: bool,
) -> int:
    """Convert WCEP, COCO, TREC, CSV, Parquet and comment exports to our format, or ours to Parquet (.parquet) or TREC (.trec).

    \b
    Example:
      newsdesk records convert articles.csv --type article -o articles.jsonl
      newsdesk records convert comments.csv --type thread --map article=story,text=body -o threads.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.types import Thread

    reader = records.read_named(file, kind, format=format, columns=parsed(mapping), dates=dates)
    count = records.write(out, reading(reader), overwrite=force)
    if reader.kind is Thread:
        click.echo("\n".join([*sentences(reader), plural(count, "record")]), err=True)
        return SOME_REJECTED if reader.account.rejected else 0
    for sentence in reader.account.notes:
        click.echo(f"{file}: {sentence}", err=True)
    ignored = ", ".join(f"{key} ({n})" for key, n in sorted(reader.ignored.items()))
    click.echo(plural(count, "record") + (f"; ignored: {ignored}" if ignored else ""), err=True)
    return 0


@click.command("schema")
@click.argument("kind", type=click.Choice(list(RECORDS)), metavar="TYPE")
@options.printed()
@options.force
def schema_command(kind: str, out: str, *, force: bool) -> None:
    """Print the JSON Schema of a record type, which describes one line of a file.

    \b
    Example:
      newsdesk records schema thread
    """
    from newsdesk.records.json_schema import json_schema

    show(out, json.dumps(json_schema(kind), indent=2, ensure_ascii=False), force=force)
