"""`newsdesk study report`: results of other commands as one self-contained page."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing


@click.command("report")
@click.argument("results", nargs=-1, required=True, metavar="DIR|FILE...")
@click.option("--title", default="Study report", show_default=True, help="Title of the page.")
@click.option("--date", metavar="DATE", help="Date on the page; none: no date. Default: today.")
@click.option(
    "--tables",
    metavar="DIR",
    help="Also write every table to this folder as Markdown, LaTeX and CSV.",
)
@click.option("-o", "--out", required=True, metavar="FILE", help="Output file (.html).")
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
    """Write results of other commands as one self-contained page: verdict, plots, tables, commands.

    Reads what other commands print with --json, and threads with scores, in files or folders; each is recognised by its content.

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
