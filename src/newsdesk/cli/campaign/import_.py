"""`newsdesk campaign import`: import returned sheets and judgments into the store."""

from __future__ import annotations

from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.jsonl import json_text


@click.command("import")
@click.argument("name")
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@shared.side
@shared.store
@options.as_json
def import_command(
    name: str, files: tuple[str, ...], prefer: Any, url: str, *, as_json: bool
) -> int:
    """Import returned workbooks, CSV files or judgments (idempotent).

    Valid rows are stored; every fault is listed with its sheet, row and column. A cell that contradicts an answer given since the sheet
    was written is a conflict: it is listed with both values and kept for `newsdesk campaign conflicts`, unless --theirs or --ours decides. The exit code
    is 3 where there was a fault or a conflict.

    \b
    Example:
      newsdesk campaign import pilot sheets/annotator-1.xlsx
    """
    from newsdesk import campaigns

    with campaigns.Store.open(url, create=False) as store:
        results = campaigns.import_files(store, name, files, at=shared.now(), prefer=prefer)
    if as_json:
        click.echo(json_text({"files": [result.as_json() for result in results]}))
    for result in results:
        for fault in result.faults:
            click.secho(f"{result.file}: {fault}", err=True, fg="red")
        for warning in result.warnings:
            click.secho(f"{result.file}: warning: {warning}", err=True, fg="yellow")
        for conflict in result.conflicts:
            click.secho(f"{result.file}: conflict: {conflict}", err=True, fg="red")
        if not as_json:
            click.echo(
                f"{result.file}: {result.new} new, {result.corrected} corrected, {result.unchanged} unchanged"
            )
    return 3 if any(result.faults or result.conflicts for result in results) else 0
