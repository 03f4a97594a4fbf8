"""`newsdesk corpus events`: portal pages become events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.output import refuse_existing, refuse_same_output
from newsdesk.cli.progress import PATIENCE_S, drawn
from newsdesk.files import write_text
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.corpus.portal.collect import Collected


@click.command("events")
@click.argument("pages", type=options.INPUT, nargs=-1, required=True, metavar="PAGE...")
@options.out
@click.option("--date", metavar="DATE", help="Day (YYYY-MM-DD) of pages that do not name one.")
@click.option(
    "--report",
    default="",
    metavar="FILE",
    help="Write the counts of read, kept and dropped records to this file (JSON).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the accounts as JSON, not as a table.")
@options.force
def events_command(
    pages: tuple[str, ...], out: str, date: str | None, report: str, *, as_json: bool, force: bool
) -> int:
    """Read events from portal pages: HTML of any year or wikitext, files or folders of them, plain or .gz.

    What was left out is counted with its reason; the exit code is 3 if a page or a bullet was lost.

    \b
    Example:
      newsdesk corpus events pages/ -o events.jsonl
    """
    from newsdesk import records
    from newsdesk.corpus.portal.collect import collect, find_pages
    from newsdesk.work import Running

    refuse_same_output({"--out": out, "--report": report})
    for path in (out, report):
        if path and path != "-":
            refuse_existing(path, force=force)
    _check_day(date)
    with drawn("events", patience_s=PATIENCE_S) as report_progress:
        running = Running("inline", report=report_progress)
        collected = collect(find_pages(pages), date=date, running=running)
    records.write(out, collected.events, overwrite=force)
    if report:
        write_text(report, json_text(_as_json(collected)) + "\n", overwrite=force)
    for refusal in collected.refusals:
        click.secho(f"{refusal.page}: {refusal.reason}", err=True, fg="red")
    text = (
        json_text(_as_json(collected))
        if as_json
        else accounts_table(("pages", collected.pages), ("leaf bullets", collected.bullets))
    )
    click.echo(text.encode("utf-8"), err=out == "-")
    return 3 if collected.rejected else 0


def _check_day(date: str | None) -> None:
    from datetime import date as calendar_day

    try:
        if date is not None and calendar_day.fromisoformat(date).isoformat() != date:
            raise ValueError(date)
    except ValueError:
        raise click.BadParameter(
            f"{date!r} is not a day like 2019-05-01.", param_hint="--date"
        ) from None


def _as_json(collected: Collected) -> dict[str, Any]:
    return {
        "steps": [collected.pages.as_json(), collected.bullets.as_json()],
        "rejected": [
            {"page": refusal.page, "reason": refusal.reason} for refusal in collected.refusals
        ],
    }
