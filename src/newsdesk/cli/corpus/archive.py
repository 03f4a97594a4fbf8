"""`newsdesk corpus archive`: cited sources from the Wayback Machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.progress import counted
from newsdesk.cli.table import table
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.corpus.archive.rot import ArchiveReport

_POSITIVE = click.FloatRange(min=0, min_open=True)


def _manners(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how fast and how often servers are asked."""
    for option in (
        click.option("--contact", help="Who asks, such as an address, for the User-Agent header."),
        click.option(
            "--attempts", type=options.COUNT, default=4, show_default=True, help="Per request."
        ),
        click.option(
            "--timeout-s", type=_POSITIVE, default=60.0, show_default=True, help="Per request."
        ),
        click.option(
            "--backoff-s",
            type=click.FloatRange(min=0),
            default=5.0,
            show_default=True,
            help="Pause after a first failure; doubles with each attempt.",
        ),
        click.option(
            "--concurrency",
            type=options.COUNT,
            default=4,
            show_default=True,
            help="URLs at a time.",
        ),
        click.option(
            "--save-rate",
            "save_rate_per_s",
            type=_POSITIVE,
            default=0.1,
            show_default=True,
            help="Pages a second that Save Page Now is asked for.",
        ),
        click.option(
            "--rate",
            "rate_per_s",
            type=_POSITIVE,
            default=1.0,
            show_default=True,
            help="Requests a second to each host.",
        ),
    ):
        command = option(command)
    return command


@click.command("archive")
@click.argument("events", type=options.INPUT)
@click.option("-o", "--out", required=True, help="The folder to write to.")
@click.option("--save", is_flag=True, help="Ask Save Page Now for pages without a snapshot.")
@click.option(
    "--days",
    type=click.IntRange(min=0),
    default=365,
    show_default=True,
    help="Days that a snapshot may lie from the event.",
)
@_manners
@click.option("--retry", is_flag=True, help="Ask again for what timed out or broke off.")
@click.option(
    "--endpoint",
    "endpoints",
    multiple=True,
    metavar="NAME=URL",
    envvar="NEWSDESK_ARCHIVE",
    help="Another address of availability, cdx, save or web.",
)
@options.as_json
@click.option("--force", is_flag=True, help="Begin anew: ask for everything again.")
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

    Each URL gets one outcome in a ledger, and the same command goes on where it was stopped. Beside the WARC file lies a page of link rot by year
    and outlet. The exit code is 3 if some URL got no whole answer; --retry asks for these again.

    \b
    Example:
      newsdesk corpus archive events.jsonl -o archive/
    """
    from contextlib import ExitStack

    from newsdesk import records
    from newsdesk.corpus.archive.run import Asking, archive
    from newsdesk.corpus.archive.settings import ArchiveSettings, Endpoints
    from newsdesk.corpus.forgotten import Forgotten
    from newsdesk.types import Event

    settings = ArchiveSettings(endpoints=Endpoints().with_changes(endpoints), **manners)
    listed = list(records.read(events, Event))
    forgotten = Forgotten.load(out)
    with ExitStack() as stack:
        report = archive(
            listed,
            out,
            settings=settings,
            asking=Asking(retry=retry, overwrite=force),
            refuses=lambda url: forgotten.refuses(url=url),
            begin=lambda count: stack.enter_context(counted("archive", count)),
        )
    text = json_text(report.as_json()) if as_json else _as_table(report)
    click.echo(text.encode("utf-8"))
    return 3 if report.failed else 0


def _as_table(report: ArchiveReport) -> str:
    from newsdesk.corpus.archive.rot import rot_rows

    accounts = accounts_table(("sources", report.tally))
    return "\n\n".join([accounts, table(*rot_rows("year", report.years))])
