"""`newsdesk campaign pairs`: export training pairs."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared


@click.command("pairs")
@click.argument("name")
@click.option(
    "--margin", default=0.0, show_default=True, help="Smallest difference of means in a pair."
)
@shared.question
@options.out
@options.force
@shared.store
def pairs_command(
    name: str, margin: float, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write training pairs: two targets of an item, the better one first.

    \b
    Example:
      newsdesk campaign pairs pilot --margin 0.2 -o pairs.jsonl
    """
    from newsdesk import campaigns, records
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        pairs = campaigns.pairs(store, name, least_margin=margin, question=question)
    count = records.write(out, pairs, overwrite=force)
    click.echo(plural(count, "pair"), err=True)
