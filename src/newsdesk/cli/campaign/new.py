"""`newsdesk campaign new`: create a campaign and its tasks."""

from __future__ import annotations

from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.cli.threads import ThreadFiles, reads_threads

_SHORTEST_SECRET = 16


@click.command("new")
@click.argument("name")
@shared.inputs
@click.option(
    "--controls",
    type=options.INPUT,
    help="Control questions with known answers (JSONL), as `newsdesk campaign controls` writes them.",
)
@click.option(
    "--controls-apart",
    is_flag=True,
    help="Show control questions as tasks of their own (implied by --in-order).",
)
@click.option(
    "--annotators",
    required=True,
    metavar="NAMES|N|open",
    help="Annotators: names, comma-separated, or their number; open: workers join by themselves.",
)
@click.option(
    "--per-item",
    type=options.COUNT,
    default=2,
    show_default=True,
    help="Number of annotators who judge each item.",
)
@options.seed
@click.option(
    "--secret",
    "secret_file",
    type=options.INPUT,
    metavar="FILE",
    help="File with the secret from which letters, orders and pseudonyms are derived, for reproducible output; default: random.",
)
@shared.store
@reads_threads
def new_command(
    name: str,
    outputs: tuple[str, ...],
    form: str,
    questions: str | None,
    annotators: str,
    per_item: int,
    seed: int,
    secret_file: str | None,
    url: str,
    *,
    files: ThreadFiles,
    sample: int | None,
    in_order: bool,
    one_by_one: bool,
    controls_apart: bool,
    **inputs: Any,
) -> None:
    """Create a campaign: its tasks and their assignment to annotators.

    \b
    Example:
      newsdesk campaign new pilot outputs.jsonl --protocol rank --references clusters.jsonl --annotators 5 --per-item 2
    """
    from newsdesk import campaigns
    from newsdesk.campaigns.controls import recognisable
    from newsdesk.cli.progress import library_warnings
    from newsdesk.wording import plural

    secret = None if secret_file is None else _secret(secret_file)
    protocol = shared.form(form, questions)
    with library_warnings():
        tasks = campaigns.tasks_from_files(
            protocol,
            campaigns.TaskFiles(outputs=outputs, **inputs),
            seed=seed,
            sample=sample,
            in_order=in_order,
            one_by_one=one_by_one,
            controls_apart=controls_apart,
            read_threads=files.read,
        )
    for reason in recognisable(tasks):
        click.secho(f"controls can be recognised: {reason}", err=True, fg="yellow")
    with campaigns.Store.open(url) as store:
        store.create(
            name, protocol, tasks, _listed(annotators), per_item=per_item, seed=seed, secret=secret
        )
    click.echo(
        f"{name}: {plural(len(tasks), 'task')}, {plural(per_item, 'annotator')} each", err=True
    )


def _listed(annotators: str) -> list[str] | None:
    """The names of --annotators; None for an open campaign."""
    from newsdesk.campaigns.operations.plans import annotator_names

    names = annotator_names(annotators)
    return None if names is None else list(names)


def _secret(file: str) -> str:
    """Read the secret of --secret: text of one or more lines, without white space around it."""
    from newsdesk.errors import DataError
    from newsdesk.files import InputFile

    secret = "\n".join(line for _, line in InputFile(file).texts()).strip()
    if len(secret) < _SHORTEST_SECRET:
        raise DataError(
            f"the secret has {len(secret)} characters, which can be guessed; {_SHORTEST_SECRET} are needed",
            file=file,
        )
    return secret
