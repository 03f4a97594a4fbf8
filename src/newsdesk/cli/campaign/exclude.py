"""`newsdesk campaign exclude`: exclude an annotator."""

from __future__ import annotations

import click

from newsdesk.cli.campaign import options as shared


@click.command("exclude")
@click.argument("name")
@click.argument("annotator")
@click.option("--reason", required=True, help="The reason, which is stored and shown in reports.")
@shared.store
def exclude_command(name: str, annotator: str, reason: str, url: str) -> None:
    """Exclude an annotator and open their slots for others.

    \b
    Example:
      newsdesk campaign exclude pilot annotator-3 --reason "half of the control questions wrong"
    """
    from newsdesk import campaigns
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        opened = store.exclude(name, annotator, reason, at=shared.now())
        handed_out = store.hand_out(name)
    click.echo(f"{plural(opened, 'slot')} opened again, {handed_out} given to others", err=True)
