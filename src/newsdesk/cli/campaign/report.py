"""`newsdesk campaign report`: the report of a campaign as a page or as JSON."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("report")
@click.argument("name")
@click.option("--threads", type=options.INPUT, help="Judged threads, to compare votes with likes.")
@options.seed
@click.option(
    "-o", "--out", metavar="FILE", help="Output file: the page (.html), or with --json the JSON."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of writing a page.")
@options.force
@shared.store
@reads_threads
def report_command(
    name: str,
    threads: str | None,
    seed: int,
    out: str | None,
    url: str,
    *,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
) -> None:
    """Write an HTML report: results, agreement, progress, annotators and a datasheet.

    \b
    Example:
      newsdesk campaign report pilot -o pilot.html
    """
    if out is None and not as_json:
        raise click.UsageError("name the page with -o NAME.html, or add --json")
    from newsdesk import campaigns
    from newsdesk.cli.output import refuse_existing, show
    from newsdesk.jsonl import json_text

    if out not in (None, "-"):
        refuse_existing(str(out), force=force)
    with campaigns.Store.open(url, create=False) as store:
        judged = files.read(threads) if threads else ()
        if as_json:
            text = json_text(campaigns.report_content(store, name, seed=seed))
        else:
            text = campaigns.report_page(store, name, judged, seed=seed)
    show(out or "-", text.rstrip("\n"), force=force)
