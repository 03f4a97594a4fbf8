"""`newsdesk campaign sheets` and `import`: blinded sheets out, judgments back in."""

from __future__ import annotations

import re

import click

from newsdesk.cli import options
from newsdesk.cli.campaign.store import now, opened, store_option
from newsdesk.cli.output import refuse_existing
from newsdesk.jsonl import json_text


@click.command("sheets")
@click.argument("name")
@click.option("-o", "--out", required=True, help="The folder for one workbook per annotator.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV files instead of workbooks.")
@options.force
@store_option
def sheets_command(name: str, out: str, url: str, *, as_csv: bool, force: bool) -> None:
    """Write one blinded workbook per annotator; the key stays in the store.

    \b
    Example:
      newsdesk campaign sheets pilot -o sheets/
    """
    from newsdesk.campaigns.exchange import sheets_of
    from newsdesk.campaigns.sheets import write_csv, write_workbook
    from newsdesk.files import make_folder

    write, ending = (write_csv, "csv") if as_csv else (write_workbook, "xlsx")
    folder = make_folder(out)
    with opened(url) as store:
        store.hand_out(name)
        sheets = sheets_of(store, name)
    paths = {who: folder / f"{_file_name(who)}.{ending}" for who in sheets}
    for path in paths.values():
        refuse_existing(path, force=force)
    for who, sheet in sheets.items():
        write(paths[who], sheet, overwrite=force)
        click.echo(f"{who}: {len(sheet.rows)} tasks", err=True)


def _file_name(annotator: str) -> str:
    """The name of an annotator's sheet, inside the folder whatever the annotator is called; no two share one."""
    return re.sub(r'^\.|[/\\%:*?"<>|\x00-\x1f]', lambda found: f"%{ord(found[0]):02X}", annotator)


@click.command("import")
@click.argument("name")
@click.argument("files", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@store_option
@options.as_json
def import_command(name: str, files: tuple[str, ...], url: str, *, as_json: bool) -> int:
    """Take in returned workbooks, CSV files or judgments; the same file twice changes nothing.

    Good rows are kept, every fault is listed with its sheet, row and column, and the exit code is then 3.

    \b
    Example:
      newsdesk campaign import pilot sheets/annotator-1.xlsx
    """
    from newsdesk.campaigns.exchange import import_file, refuse_two_sheets_of_one

    with opened(url) as store:
        refuse_two_sheets_of_one(files)
        results = [import_file(store, name, file, now()) for file in files]
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
