"""`newsdesk campaign report`: an HTML report of a campaign."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared


@click.command("report")
@click.argument("name")
@click.option("--threads", help="The judged threads, to compare votes with likes.")
@options.seed
@options.out
@options.force
@shared.store
def report_command(
    name: str, threads: str | None, seed: int, out: str, url: str, *, force: bool
) -> None:
    """Write an HTML report: progress, results, agreement, annotators, rankings with intervals.

    \b
    Example:
      newsdesk campaign report pilot -o pilot.html
    """
    from newsdesk import campaigns, records
    from newsdesk.files import write_text
    from newsdesk.types import Thread

    with campaigns.Store.open(url, create=False) as store:
        judged = records.read(threads, Thread) if threads else ()
        page = campaigns.report_page(store, name, judged, seed=seed)
    write_text(out, page, overwrite=force)
