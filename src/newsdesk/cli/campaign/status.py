"""`newsdesk campaign status`: progress of a campaign, or a list of all campaigns."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.cli.output import show
from newsdesk.cli.table import table
from newsdesk.jsonl import json_text
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


@click.command("status")
@click.argument("name", required=False)
@shared.store
@options.as_json
@options.printed
@options.force
def status_command(name: str | None, url: str, out: str, *, as_json: bool, force: bool) -> None:
    """Show the progress of a campaign, or list all campaigns.

    \b
    Example:
      newsdesk campaign status pilot
    """
    from newsdesk import campaigns

    with campaigns.Store.open(url, create=False) as store:
        if name is None:
            text = _campaigns(store, as_json=as_json)
        else:
            text = _progress(store, name, as_json=as_json)
    show(out, text, force=force)


def _campaigns(store: Store, *, as_json: bool) -> str:
    columns = ("name", "protocol", "per_item")
    rows = [
        (campaign.name, campaign.protocol.name, campaign.per_item) for campaign in store.campaigns()
    ]
    if as_json:
        return json_text({"campaigns": [dict(zip(columns, row, strict=True)) for row in rows]})
    return table(columns, rows)


def _progress(store: Store, name: str, *, as_json: bool) -> str:
    status = store.status(name)
    if as_json:
        return json_text({"campaign": name, **asdict(status)})
    rows = [
        (annotator.name, annotator.id, annotator.done, annotator.slots, annotator.reason)
        for annotator in status.annotators
    ]
    return (
        f"{status.done} of {plural(status.slots, 'slot')} done, {status.claimed} claimed, {plural(status.judgments, 'judgment')}"
        + (f", {status.withdrawn} of them cannot-judge" if status.withdrawn else "")
        + (f", {plural(status.conflicts, 'conflict')}" if status.conflicts else "")
        + "\n"
        + table(("annotator", "id", "done", "of", "excluded"), rows)
    )
