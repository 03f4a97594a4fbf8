"""`newsdesk campaign weights`: export the judged texts as weighted references."""

from __future__ import annotations

from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared


@click.command("weights")
@click.argument("name")
@click.option(
    "--map",
    "how",
    type=click.Choice(["minmax", "max", "itemmax"]),
    default="minmax",
    show_default=True,
    help="Map from a value g to a weight: (g - lo) / (hi - lo), g / hi, or g / best of the item.",
)
@shared.question
@options.out
@options.force
@shared.store
def weights_command(
    name: str, how: Any, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write the judged texts as weighted references.

    Weights are mean grades, shares of yes votes, or shares of the other systems ranked below.

    \b
    Example:
      newsdesk campaign weights pilot --map minmax -o references.jsonl
    """
    from newsdesk import campaigns, records
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        weighted = campaigns.weights(store, name, how=how, question=question)
    count = records.write(out, weighted.references, overwrite=force)
    click.echo(
        f"{plural(count, 'item')} with references, weights {weighted.weighting.signature}", err=True
    )
