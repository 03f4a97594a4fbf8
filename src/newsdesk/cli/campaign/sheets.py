"""`newsdesk campaign sheets`: write one blinded workbook or CSV file per annotator."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared


@click.command("sheets")
@click.argument("name")
@click.option(
    "-o", "--out", required=True, metavar="DIR", help="Folder for one workbook per annotator."
)
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV files instead of workbooks.")
@options.force
@shared.store
def sheets_command(name: str, out: str, url: str, *, as_csv: bool, force: bool) -> None:
    """Write one blinded workbook per annotator; the blinding key stays in the store.

    \b
    Example:
      newsdesk campaign sheets pilot -o sheets/
    """
    from newsdesk import campaigns
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        campaigns.write_sheets(
            store,
            name,
            out,
            format="csv" if as_csv else "xlsx",
            overwrite=force,
            progress=lambda sheet: click.echo(
                f"{sheet.annotator}: {plural(sheet.tasks, 'task')}"
                + (
                    f"; {plural(sheet.cut, 'text')} cut to the length of a cell"
                    if sheet.cut
                    else ""
                ),
                err=True,
            ),
        )
