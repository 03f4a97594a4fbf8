"""`newsdesk study report`: results of other commands as one self-contained page."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing


@click.command("report")
@click.argument("results", nargs=-1, required=True, metavar="DIR|FILE...")
@click.option("--title", default="Study report", show_default=True, help="The title of the page.")
@click.option("--date", help="The date on the page, or `none`; default today.")
@click.option(
    "--tables", metavar="FOLDER", help="Also write every table as Markdown, LaTeX and CSV there."
)
@click.option("-o", "--out", required=True, help="The HTML file to write.")
@options.force
def report_command(
    results: tuple[str, ...],
    title: str,
    date: str | None,
    tables: str | None,
    out: str,
    *,
    force: bool,
) -> None:
    """Tell the results of a study as one self-contained page: verdict, pictures, tables, commands.

    Takes what other commands print with --json, and threads with scores; each is recognised by its content.

    \b
    Example:
      newsdesk study report scores.json rankers.json -o report.html
    """
    from datetime import date as day

    from newsdesk.files import write_text
    from newsdesk.studies.report import read_report
    from newsdesk.wording import plural

    refuse_existing(out, force=force)
    report = read_report(results)
    shown = {None: f"Written {day.today().isoformat()}.", "none": ""}.get(date, f"Written {date}.")
    write_text(out, report.html(title, date=shown), overwrite=force)
    click.echo(f"wrote {out}: {plural(len(report.chapters), 'result')}", err=True)
    if tables:
        written = report.write_tables(tables, overwrite=force)
        click.echo(f"wrote {plural(len(written), 'file')} to {tables}", err=True)
    for name in report.unused:
        click.echo(f"note: {name} is no result that a report knows", err=True)
