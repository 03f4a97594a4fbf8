"""Collect events from portal pages, and from the Wayback Machine the pages that they cite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table
from newsdesk.cli.emit import Emit, prints, prints_as, refuse_existing, refuse_same_output
from newsdesk.cli.options import flag, option, whole_number
from newsdesk.cli.progress import PATIENCE_S, drawn

if TYPE_CHECKING:
    from newsdesk.corpus.archive.rot import ArchiveReport
    from newsdesk.corpus.portal.collect import Collected

_POSITIVE = options.BoundedNumber(min=0, min_open=True)


# How fast and how often servers are asked.
_manners = options.group(
    option(
        "--rate", "rate_per_s", "Requests per second to each host.", type=_POSITIVE, default=1.0
    ),
    option(
        "--save-rate",
        "save_rate_per_s",
        "Requests per second to Save Page Now.",
        type=_POSITIVE,
        default=0.1,
    ),
    whole_number(
        "-j", "--jobs", "concurrency", "Number of URLs requested at the same time.", default=4
    ),
    option(
        "--backoff-s",
        "Pause after the first failure, in seconds; doubled with each attempt.",
        type=options.BoundedNumber(min=0),
        default=5.0,
    ),
    option("--timeout-s", "Time limit of a request, in seconds.", type=_POSITIVE, default=60.0),
    whole_number("--attempts", "Attempts per request.", default=4),
    option(
        "--contact", "Your e-mail or web address, for the User-Agent header.", metavar="ADDRESS"
    ),
)


@click.command("archive")
@click.argument("cited", type=options.INPUT, metavar="FILE")
@options.folder()
@flag("--save", "Ask Save Page Now to save pages that have no snapshot.")
@option(
    "--days",
    "Largest distance of a snapshot from the event or article, in days.",
    type=options.Integer(min=0),
    default=365,
)
@_manners
@flag("--retry", "Ask again for pages that timed out or broke off.")
@option(
    "--endpoint",
    "endpoints",
    "Another address of availability, cdx, save or web; repeatable.",
    multiple=True,
    metavar="NAME=URL",
    envvar="NEWSDESK_ARCHIVE",
)
@prints
@flag("--force", "Start over: ask for every page again.")
def archive_command(
    cited: str,
    out: str,
    endpoints: tuple[str, ...],
    *,
    retry: bool,
    emit: Emit,
    force: bool,
    **manners: Any,
) -> int:
    """Download the pages that events cite from the Wayback Machine, near the day of the event, into a WARC file.

    FILE holds events; or threads, clusters or articles, whose addresses are asked for where the text is missing; or, as .txt, an address a line. Every URL gets one outcome in a ledger, and a stopped run resumes. A page beside the WARC file shows link rot by year and outlet. The exit
    code is 3 if a URL got no complete answer; --retry asks for these again.

    \b
    Example:
      newsdesk corpus archive events.jsonl -o archive/
      newsdesk corpus archive urls.txt -o archive/
    """
    from newsdesk.corpus.archive.client import ArchiveSettings, Endpoints
    from newsdesk.corpus.archive.rot import read_cited
    from newsdesk.corpus.archive.run import Asking, archive
    from newsdesk.corpus.forgotten import Forgotten

    settings = ArchiveSettings(endpoints=Endpoints().with_changes(endpoints), **manners)
    forgotten = Forgotten.load(out)
    with drawn("archive") as progress:
        report = archive(
            read_cited(cited),
            out,
            settings=settings,
            asking=Asking(retry=retry, overwrite=force),
            refuses=lambda url: forgotten.refuses(url=url),
            progress=progress,
        )
    emit(report, _archive_table)
    return 3 if report.failed else 0


def _archive_table(report: ArchiveReport) -> str:
    from newsdesk.corpus.archive.rot import rot_rows
    from newsdesk.results.table import table

    accounts = accounts_table(("sources", report.tally))
    return "\n\n".join([accounts, table(*rot_rows("year", report.years))])


@click.command("events")
@click.argument("pages", type=options.INPUT, nargs=-1, required=True, metavar="PAGE...")
@options.out
@option("--day", "date", "Day (YYYY-MM-DD) of pages that do not name one.", metavar="DATE")
@option(
    "--report",
    "Write the counts of read, kept and dropped records to this file (JSON).",
    default="",
    metavar="FILE",
)
@prints_as("Print the accounts as JSON, not as a table.")
@options.force
def events_command(
    pages: tuple[str, ...], out: str, date: str | None, report: str, *, emit: Emit, force: bool
) -> int:
    """Read events from portal pages: HTML of any year or wikitext, files or folders of them, plain or .gz.

    Files of events (.jsonl), ours or published, are taken like pages. What was left out is counted with its reason; the exit code is 3 if a page or a bullet was lost.

    \b
    Example:
      newsdesk corpus events pages/ -o events.jsonl
    """
    from newsdesk import records
    from newsdesk.corpus.portal.collect import collect, find_pages
    from newsdesk.files import write_text
    from newsdesk.jsonl import json_text
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
        write_text(report, json_text(_events_json(collected)) + "\n", overwrite=force)
    for refusal in collected.refusals:
        click.secho(f"{refusal.page}: {refusal.reason}", err=True, fg="red")
    emit(collected, _events_table, _events_json, err=out == "-")
    return 3 if collected.rejected else 0


def _check_day(date: str | None) -> None:
    from datetime import date as calendar_day

    try:
        if date is not None and calendar_day.fromisoformat(date).isoformat() != date:
            raise ValueError(date)
    except ValueError:
        raise click.BadParameter(
            f"{date!r} is not a day like 2019-05-01.", param_hint="--day"
        ) from None


def _events_json(collected: Collected) -> dict[str, Any]:
    return {
        "steps": [collected.pages.as_json(), collected.bullets.as_json()],
        "rejected": [
            {"page": refusal.page, "reason": refusal.reason} for refusal in collected.refusals
        ],
    }


def _events_table(collected: Collected) -> str:
    return accounts_table(("pages", collected.pages), ("leaf bullets", collected.bullets))
