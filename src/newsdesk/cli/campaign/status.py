"""`newsdesk campaign status` and `exclude`: how far the annotators are, and leaving one out."""

from __future__ import annotations

from dataclasses import asdict

import click

from newsdesk.cli import options
from newsdesk.cli.campaign.store import now, opened, store_option
from newsdesk.cli.output import json_text
from newsdesk.cli.table import table


@click.command("status")
@click.argument("name", required=False)
@store_option
@options.as_json
def status_command(name: str | None, url: str, *, as_json: bool) -> None:
    """How far a campaign is, or which campaigns there are.

    \b
    Example:
      newsdesk campaign status pilot --store sqlite:///pilot.db
    """
    with opened(url) as store:
        if name is None:
            campaigns = [
                (each.name, each.protocol.name, each.per_item) for each in store.campaigns()
            ]
            columns = ("name", "protocol", "per_item")
            rows = [dict(zip(columns, each, strict=True)) for each in campaigns]
            click.echo(json_text({"campaigns": rows}) if as_json else table(columns, campaigns))
            return
        status = store.status(name)
    if as_json:
        click.echo(json_text({"campaign": name, **asdict(status)}))
        return
    click.echo(
        f"{status.done} of {status.slots} slots done, {status.claimed} claimed, {status.judgments} judgments"
    )
    rows_of = [
        (each.name, each.id, each.done, each.slots, each.reason) for each in status.annotators
    ]
    click.echo(table(("annotator", "id", "done", "of", "excluded"), rows_of))


@click.command("exclude")
@click.argument("name")
@click.argument("annotator")
@click.option("--reason", required=True, help="Why, for the record.")
@store_option
def exclude_command(name: str, annotator: str, reason: str, url: str) -> None:
    """Leave an annotator out and open their slots for others.

    \b
    Example:
      newsdesk campaign exclude pilot annotator-3 --reason "half of the control questions wrong"
    """
    with opened(url) as store:
        opened_slots = store.exclude(name, annotator, reason, at=now())
        given = store.hand_out(name)
    click.echo(f"{opened_slots} slots opened again, {given} given to others", err=True)
