"""`newsdesk campaign report`: an HTML report of a campaign."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("report")
@click.argument("name")
@click.option("--threads", help="The judged threads, to compare votes with likes.")
@options.seed
@options.out
@options.force
@shared.store
@reads_threads
def report_command(
    name: str,
    threads: str | None,
    seed: int,
    out: str,
    url: str,
    *,
    files: ThreadFiles,
    force: bool,
) -> None:
    """Write an HTML report: progress, results, agreement, annotators, rankings with intervals.

    \b
    Example:
      newsdesk campaign report pilot -o pilot.html
    """
    from newsdesk import campaigns
    from newsdesk.files import write_text

    with campaigns.Store.open(url, create=False) as store:
        judged = files.read(threads) if threads else ()
        page = campaigns.report_page(store, name, judged, seed=seed)
    write_text(out, page, overwrite=force)
