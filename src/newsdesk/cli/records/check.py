"""`newsdesk records check`: what each file holds, or what is wrong with it and where."""

from __future__ import annotations

from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.records import options as file_options
from newsdesk.cli.threads import SOME_REJECTED, dates, mapped, parsed


@click.command("check")
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@file_options.kind
@file_options.format
@mapped
@dates
@options.as_json
@options.printed
@options.force
def check_command(
    files: tuple[str, ...],
    kind: str | None,
    format: str | None,
    mapping: tuple[str, ...],
    dates: str | None,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> int:
    """Validate files: print what each holds, or its first error with its line.

    A file called manifest.json is checked against the files that it lists.

    \b
    Example:
      newsdesk records check clusters.jsonl
    """
    from dataclasses import asdict

    from newsdesk.cli.progress import reading
    from newsdesk.cli.table import table
    from newsdesk.errors import NewsdeskError
    from newsdesk.jsonl import json_text
    from newsdesk.records import check_file

    refuse_existing(out, force=force)
    columns = parsed(mapping)
    rows: list[dict[str, Any]] = []
    for file in files:
        try:
            checked = check_file(file, kind, format, columns=columns, dates=dates, progress=reading)
            for note in checked.notes:
                click.echo(f"{file}: {note}", err=True)
            row = asdict(checked)
            for name in ("rejected", "notes"):
                if not row[name]:
                    del row[name]
            rows.append(row)
        except NewsdeskError as error:
            rows.append({"file": file, "error": str(error)})
            click.secho(str(error), err=True, fg="red")
    if as_json:
        show(out, json_text({"files": rows}), force=force)
    elif good := [row for row in rows if "error" not in row]:
        header = ["file", "type", "format", "records", "ignored"]
        header += ["rejected"] if any("rejected" in row for row in good) else []
        cells = [[_cell(row.get(name)) for name in header] for row in good]
        show(out, table(header, cells), force=force)
    if any("error" in row for row in rows):
        return 1
    return SOME_REJECTED if any("rejected" in row for row in rows) else 0


def _cell(value: Any) -> str | int | None:
    if isinstance(value, dict):
        return ", ".join(f"{key} ({n})" for key, n in sorted(value.items())) or None
    return value
