"""`newsdesk corpus archive`: cited sources from the Wayback Machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.progress import drawn
from newsdesk.cli.table import table
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.corpus.archive.rot import ArchiveReport

_POSITIVE = options.Number(min=0, min_open=True)


def _manners(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how fast and how often servers are asked."""
    for option in (
        click.option(
            "--contact",
            metavar="ADDRESS",
            help="Your e-mail or web address, for the User-Agent header.",
        ),
        click.option(
            "--attempts",
            type=options.COUNT,
            default=4,
            show_default=True,
            help="Attempts per request.",
        ),
        click.option(
            "--timeout-s",
            type=_POSITIVE,
            default=60.0,
            show_default=True,
            help="Time limit of a request, in seconds.",
        ),
        click.option(
            "--backoff-s",
            type=options.Number(min=0),
            default=5.0,
            show_default=True,
            help="Pause after the first failure, in seconds; doubled with each attempt.",
        ),
        click.option(
            "--concurrency",
            type=options.COUNT,
            default=4,
            show_default=True,
            help="Number of URLs requested at the same time.",
        ),
        click.option(
            "--save-rate",
            "save_rate_per_s",
            type=_POSITIVE,
            default=0.1,
            show_default=True,
            help="Requests per second to Save Page Now.",
        ),
        click.option(
            "--rate",
            "rate_per_s",
            type=_POSITIVE,
            default=1.0,
            show_default=True,
            help="Requests per second to each host.",
        ),
    ):
        command = option(command)
    return command


@click.command("archive")
@click.argument("events", type=options.INPUT)
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder to write to.")
@click.option("--save", is_flag=True, help="Ask Save Page Now to save pages that have no snapshot.")
@click.option(
    "--days",
    type=options.Integer(min=0),
    default=365,
    show_default=True,
    help="Largest distance of a snapshot from the event, in days.",
)
@_manners
@click.option("--retry", is_flag=True, help="Ask again for pages that timed out or broke off.")
@click.option(
    "--endpoint",
    "endpoints",
    multiple=True,
    metavar="NAME=URL",
    envvar="NEWSDESK_ARCHIVE",
    help="Another address of availability, cdx, save or web; repeatable.",
)
@options.as_json
@click.option("--force", is_flag=True, help="Start over: ask for every page again.")
def archive_command(
    events: str,
    out: str,
    endpoints: tuple[str, ...],
    *,
    retry: bool,
    as_json: bool,
    force: bool,
    **manners: Any,
) -> int:
    """Download the pages that events cite from the Wayback Machine, near the day of the event, into a WARC file.

    Every URL gets one outcome in a ledger, and a stopped run resumes. A page beside the WARC file shows link rot by year and outlet. The exit
    code is 3 if a URL got no complete answer; --retry asks for these again.

    \b
    Example:
      newsdesk corpus archive events.jsonl -o archive/
    """
    from newsdesk import records
    from newsdesk.corpus.archive.client import ArchiveSettings, Endpoints
    from newsdesk.corpus.archive.run import Asking, archive
    from newsdesk.corpus.forgotten import Forgotten
    from newsdesk.types import Event

    settings = ArchiveSettings(endpoints=Endpoints().with_changes(endpoints), **manners)
    listed = list(records.read(events, Event))
    forgotten = Forgotten.load(out)
    with drawn("archive") as progress:
        report = archive(
            listed,
            out,
            settings=settings,
            asking=Asking(retry=retry, overwrite=force),
            refuses=lambda url: forgotten.refuses(url=url),
            progress=progress,
        )
    text = json_text(report.as_json()) if as_json else _as_table(report)
    click.echo(text.encode("utf-8"))
    return 3 if report.failed else 0


def _as_table(report: ArchiveReport) -> str:
    from newsdesk.corpus.archive.rot import rot_rows

    accounts = accounts_table(("sources", report.tally))
    return "\n\n".join([accounts, table(*rot_rows("year", report.years))])
