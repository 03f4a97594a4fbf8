"""`newsdesk campaign import`: import returned sheets and judgments into the store."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.jsonl import json_text


@click.command("import")
@click.argument("name")
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@shared.store
@options.as_json
def import_command(name: str, files: tuple[str, ...], url: str, *, as_json: bool) -> int:
    """Import returned workbooks, CSV files or judgments; importing twice changes nothing.

    Valid rows are stored; every fault is listed with its sheet, row and column, and the exit code is then 3.

    \b
    Example:
      newsdesk campaign import pilot sheets/annotator-1.xlsx
    """
    from newsdesk import campaigns

    with campaigns.Store.open(url, create=False) as store:
        results = campaigns.import_files(store, name, files, at=shared.now())
    if as_json:
        click.echo(json_text({"files": [result.as_json() for result in results]}))
    for result in results:
        for fault in result.faults:
            click.secho(f"{result.file}: {fault}", err=True, fg="red")
        if not as_json:
            click.echo(
                f"{result.file}: {result.new} new, {result.corrected} corrected, {result.unchanged} unchanged"
            )
    return 3 if any(result.faults for result in results) else 0
