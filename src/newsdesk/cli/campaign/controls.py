"""`newsdesk campaign controls`: make control questions from the data of a campaign."""

from __future__ import annotations

from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared


@click.command("controls")
@shared.inputs
@click.option(
    "--every",
    type=options.COUNT,
    help="Tasks per control question; default: 1 for tasks of several texts, else 5.",
)
@options.seed
@options.out
@options.force
def controls_command(
    outputs: tuple[str, ...],
    form: str,
    questions: str | None,
    every: int | None,
    seed: int,
    out: str,
    *,
    sample: int | None,
    in_order: bool,
    one_by_one: bool,
    force: bool,
    **files: Any,
) -> None:
    """Make control questions with known answers, for `campaign new --controls`.

    They are made from the same files and options as the campaign.

    \b
    Example:
      newsdesk campaign controls --protocol constructive --threads threads.jsonl -o controls.jsonl
    """
    from newsdesk import campaigns, records
    from newsdesk.campaigns.controls import made_controls
    from newsdesk.wording import plural

    protocol = shared.form(form, questions)
    inputs = campaigns.TaskFiles(outputs=outputs, **files)
    tasks, every_task = (
        campaigns.tasks_from_files(
            protocol, inputs, seed=seed, sample=size, in_order=in_order, one_by_one=one_by_one
        )
        for size in (sample, None)
    )
    controls = made_controls(protocol, tasks, every=every, unused=every_task, seed=seed)
    count = records.write(out, controls, overwrite=force)
    click.echo(plural(count, "control question"), err=True)
