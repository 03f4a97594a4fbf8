"""Change a campaign that runs: `newsdesk campaign add`, `assign`, `release`, `forget`, `adjudicate`, `notes` and `payments`."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import now, opens_store
from newsdesk.cli.campaign.new import TaskSource, adds_tasks
from newsdesk.cli.emit import Emit, emits
from newsdesk.cli.options import INPUT, flag, input_file, option, whole_number
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

_SHOWN = 60  # characters of a text in a table


@click.command("add")
@click.argument("name")
@adds_tasks
@input_file("--controls", "Control questions with known answers for the new items (JSONL).")
@options.seed
@opens_store
@reads_threads
def add_command(
    name: str,
    controls: str | None,
    seed: int,
    *,
    source: TaskSource,
    store: Store,
    files: ThreadFiles,
) -> None:
    """Add items to a campaign that runs, assigned as at the beginning.

    The files are those of `campaign new`. Tasks that are there already stay as they are, so adding the same files again changes nothing.

    \b
    Example:
      newsdesk campaign add pilot more.jsonl --references clusters.jsonl
    """
    from newsdesk.campaigns.upkeep import add_tasks
    from newsdesk.cli.progress import library_warnings

    own = replace(source, form=store.campaign(name).protocol)
    with library_warnings():
        tasks = own.tasks(controls, seed=seed, read_threads=files.read)
    added = add_tasks(store, name, tasks)
    kept = f", {len(tasks) - added} were there already" if added < len(tasks) else ""
    click.echo(f"{name}: {plural(added, 'task')} added{kept}", err=True)


@click.command("assign")
@click.argument("name")
@click.argument("annotator")
@whole_number("--tasks", "Number of tasks to give at most.", default=10)
@option("--from", "source", "Take unanswered tasks of this annotator.", metavar="ANNOTATOR")
@flag("--extra", "Give tasks that have enough annotators already, one more each.")
@opens_store
def assign_command(
    name: str, annotator: str, tasks: int, source: str | None, *, extra: bool, store: Store
) -> None:
    """Give tasks to an annotator; who is new to the campaign joins it.

    Without --from and --extra these are tasks that nobody holds, such as those that `campaign release` opened.

    \b
    Example:
      newsdesk campaign assign pilot dora --tasks 20 --from ann
    """
    from newsdesk.campaigns.upkeep import give_tasks

    given = give_tasks(store, name, annotator, tasks, source=source, extra=extra)
    click.echo(f"{annotator}: {plural(given, 'task')} given", err=True)


@click.command("release")
@click.argument("name")
@click.argument("annotator", required=False)
@option(
    "--before",
    "Without an annotator: open what was claimed before this time (2026-01-02T09:00:00Z) and not answered; default: now.",
    metavar="TIME",
)
@opens_store
def release_command(name: str, annotator: str | None, before: str | None, *, store: Store) -> None:
    """Open unanswered tasks for others: all of an annotator, or those that were claimed and left.

    \b
    Example:
      newsdesk campaign release pilot ann
    """
    from newsdesk.campaigns.upkeep import give_back

    if annotator is not None and before is not None:
        raise click.UsageError("name an annotator or a time, not both")
    if annotator is not None:
        opened = give_back(store, name, annotator)
    else:
        opened = store.release(name, before=before or now())
    click.echo(f"{plural(opened, 'task')} open again", err=True)


@click.command("forget")
@click.argument("name")
@click.argument("annotator")
@opens_store
def forget_command(name: str, annotator: str, *, store: Store) -> None:
    """Erase an annotator from a campaign: judgments, notes, conflicts and the name.

    Their tasks are open for others, and every result is computed without them. What is erased cannot be restored; files that were exported before keep their keyed hash.

    \b
    Example:
      newsdesk campaign forget pilot ann
    """
    from newsdesk.campaigns.upkeep import forget_person

    click.echo(f"{plural(forget_person(store, name, annotator), 'judgment')} erased", err=True)


@click.command("adjudicate")
@click.argument("name")
@click.argument("file", type=INPUT, required=False)
@option("--by", "Who decides; needed with a file.", metavar="NAME")
@opens_store
@emits
def adjudicate_command(
    name: str, file: str | None, by: str | None, *, store: Store, emit: Emit
) -> None:
    """List what annotators answered differently, or store gold answers from a file of judgments.

    Gold answers are kept apart from the votes; no result counts them. The list says which are decided.

    \b
    Example:
      newsdesk campaign adjudicate pilot gold.jsonl --by lead
    """
    from newsdesk import records
    from newsdesk.campaigns.upkeep import decide, disagreements
    from newsdesk.results.table import table
    from newsdesk.types import Judgment

    if (file is None) != (by is None):
        raise click.UsageError(
            "name a file of gold answers and who decides (--by NAME), or neither"
        )
    if file is not None:
        stored = decide(store, name, records.read(file, Judgment), by=by or "", at=now())
        click.echo(f"{plural(stored, 'gold answer')} stored", err=True)
        return
    header = ("task", "target", "question", "answers", "gold", "text")
    emit(
        disagreements(store, name),
        lambda rows: table(
            header,
            [
                (
                    row.task,
                    row.target,
                    row.question,
                    ", ".join(f"{value} ×{count}" for value, count in row.answers),
                    row.gold,
                    " ".join(row.text.split())[:_SHOWN],
                )
                for row in rows
            ],
        ),
        lambda rows: {
            "disagreements": [
                {**asdict(row), "answers": [{"value": value, "n": n} for value, n in row.answers]}
                for row in rows
            ]
        },
    )


@click.command("notes")
@click.argument("name")
@opens_store
@emits
def notes_command(name: str, *, store: Store, emit: Emit) -> None:
    """List what annotators noted on tasks.

    \b
    Example:
      newsdesk campaign notes pilot
    """
    from newsdesk.campaigns.upkeep import task_notes
    from newsdesk.results.table import table

    emit(
        task_notes(store, name, names=True),
        lambda rows: table(("task", "annotator", "at", "note"), [(row.task, row.annotator, row.at, row.text) for row in rows]),
        lambda rows: {"notes": [asdict(row) for row in rows]},
    )  # fmt: skip


@click.command("payments")
@click.argument("name")
@option("--per-hour", "What an hour is paid.", type=float, metavar="AMOUNT")
@option("--per-task", "What a task is paid.", type=float, metavar="AMOUNT")
@opens_store
@emits
def payments_command(
    name: str, per_hour: float | None, per_task: float | None, *, store: Store, emit: Emit
) -> None:
    """Show tasks, hours and control questions of each annotator, and what is due.

    Tasks without a time, such as those of sheets, count as long as the median of all others.

    \b
    Example:
      newsdesk campaign payments pilot --per-hour 15
    """
    from newsdesk.campaigns.upkeep import payment_rows
    from newsdesk.results.table import table

    header = ("annotator", "tasks", "hours", "without time", "controls right", "excluded", "due")
    emit(
        payment_rows(store, name, per_hour=per_hour, per_task=per_task),
        lambda rows: table(
            header,
            [
                (
                    row.name,
                    row.tasks,
                    round(row.hours, 2),
                    row.untimed,
                    f"{row.correct} of {row.controls}" if row.controls else None,
                    "yes" if row.excluded else None,
                    row.due,
                )
                for row in rows
            ],
        ),
        lambda rows: {"payments": [asdict(row) for row in rows]},
    )
