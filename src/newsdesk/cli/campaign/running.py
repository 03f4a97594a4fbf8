"""Look after a campaign that runs: its progress, annotators to exclude, articles to erase."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import now, opens_store, store_option
from newsdesk.cli.emit import Emit, emits
from newsdesk.cli.options import flag, option
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.campaign import Status
    from newsdesk.campaigns.store import Store


@click.command("status")
@click.argument("name", required=False)
@opens_store
@emits
def status_command(name: str | None, *, store: Store, emit: Emit) -> None:
    """Show the progress of a campaign, or list all campaigns.

    \b
    Example:
      newsdesk campaign status pilot
    """
    from newsdesk.results.table import table

    if name is not None:
        emit(store.status(name), _progress, lambda status: {"campaign": name, **asdict(status)})
        return
    columns = ("name", "protocol", "per_item")
    rows = [
        (campaign.name, campaign.protocol.name, campaign.per_item) for campaign in store.campaigns()
    ]
    emit(
        rows,
        lambda rows: table(columns, rows),
        lambda rows: {"campaigns": [dict(zip(columns, row, strict=True)) for row in rows]},
    )


def _progress(status: Status) -> str:
    from newsdesk.results.table import table

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


@click.command("exclude")
@click.argument("name")
@click.argument("annotator", required=False)
@option("--reason", "Reason, stored and shown in reports.")
@flag("--failed-controls", "Exclude every annotator who answered control questions incorrectly.")
@option(
    "--min-right",
    "With --failed-controls: smallest share of control questions answered correctly.",
    type=options.BoundedNumber(0, 1, min_open=True),
    default=1.0,
)
@store_option
def exclude_command(
    name: str,
    annotator: str | None,
    reason: str | None,
    min_right: float,
    url: str,
    *,
    failed_controls: bool,
) -> None:
    """Exclude an annotator, or all who failed control questions, and reassign their tasks.

    \b
    Example:
      newsdesk campaign exclude pilot annotator-3 --reason "half of the control questions wrong"
    """
    from newsdesk import campaigns

    if failed_controls == (annotator is not None):
        raise click.UsageError("Name an annotator or write --failed-controls.")
    if annotator is not None and reason is None:
        raise click.UsageError("Missing option '--reason'.")
    with campaigns.Store.open(url, create=False) as store:
        if annotator is not None:
            opened = store.exclude(name, annotator, reason or "", at=now())
        else:
            before = {person.name: person.slots for person in store.status(name).annotators}
            excluded = campaigns.exclude_failed(store, name, at=now(), min_right=min_right)
            opened = sum(before[failed.annotator] for failed in excluded)
            for failed in excluded:
                click.echo(
                    f"{failed.annotator}: {failed.correct} of {failed.controls} control questions right",
                    err=True,
                )
        handed_out = store.hand_out(name)
    click.echo(f"{plural(opened, 'slot')} opened again, {handed_out} given to others", err=True)


@click.command("erase")
@click.argument("articles", nargs=-1, required=True, metavar="ARTICLE...")
@opens_store
def erase_command(articles: tuple[str, ...], *, store: Store) -> None:
    """Erase articles from every campaign of a store: tasks, texts and judgments.

    ARTICLE is an article's id. What is erased cannot be restored.

    \b
    Example:
      newsdesk campaign erase c4b9ef931d967d73 --store sqlite:///newsdesk.db
    """
    from newsdesk.campaigns.store.schema import erase_articles

    click.echo(f"{plural(erase_articles(store, articles), 'judgment')} erased", err=True)
