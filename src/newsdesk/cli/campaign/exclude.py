"""`newsdesk campaign exclude`: exclude an annotator, or all who failed control questions."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared


@click.command("exclude")
@click.argument("name")
@click.argument("annotator", required=False)
@click.option("--reason", help="Reason, stored and shown in reports.")
@click.option(
    "--failed-controls",
    is_flag=True,
    help="Exclude every annotator who answered control questions incorrectly.",
)
@click.option(
    "--min-right",
    type=options.Number(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="With --failed-controls: smallest share of control questions answered correctly.",
)
@shared.store
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
    from newsdesk.wording import plural

    if failed_controls == (annotator is not None):
        raise click.UsageError("Name an annotator or write --failed-controls.")
    if annotator is not None and reason is None:
        raise click.UsageError("Missing option '--reason'.")
    with campaigns.Store.open(url, create=False) as store:
        if annotator is not None:
            opened = store.exclude(name, annotator, reason or "", at=shared.now())
        else:
            before = {each.name: each.slots for each in store.status(name).annotators}
            excluded = campaigns.exclude_failed(store, name, at=shared.now(), min_right=min_right)
            opened = sum(before[each.annotator] for each in excluded)
            for each in excluded:
                click.echo(
                    f"{each.annotator}: {each.correct} of {each.controls} control questions right",
                    err=True,
                )
        handed_out = store.hand_out(name)
    click.echo(f"{plural(opened, 'slot')} opened again, {handed_out} given to others", err=True)
