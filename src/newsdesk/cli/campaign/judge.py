"""Ask a model or a program the tasks of a campaign (`newsdesk campaign judge`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import now, opens_store
from newsdesk.cli.emit import Emit, emits, note
from newsdesk.cli.options import flag, option, whole_number
from newsdesk.cli.progress import drawn
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.judges import CommandJudge, ModelJudge
    from newsdesk.campaigns.store import Store


@click.command("judge")
@click.argument("name")
@option(
    "--with",
    "spec",
    "Who judges: llm(model='openai:URL#MODEL', …), or a command line that reads tasks and writes answers as JSON lines.",
    required=True,
    metavar="LLM|COMMAND",
)
@option("--tasks", "most_tasks", "Only the first tasks of the campaign; default: all.", type=options.Integer(min=1))  # fmt: skip
@whole_number("--timeout", "Seconds to wait for the next answer of a command.", default=600)
@flag("--retry", "Ask again what had no valid answer.")
@flag("--dry-run", "With llm(…): send nothing; count requests, tokens and cost.")
@opens_store
@emits
def judge_command(
    name: str,
    spec: str,
    most_tasks: int | None,
    timeout: int,
    *,
    retry: bool,
    dry_run: bool,
    store: Store,
    emit: Emit,
) -> None:
    """Ask a model or a program every task twice, the order turned round, and say what its answers are worth.

    Answers are stored as they come, apart from people's: a run that was stopped goes on where it was. Prints position bias, agreement with people,
    people's result estimated from both, and how many people the judge saves, if any.

    \b
    Example:
      newsdesk campaign judge pilot --with "python judge.py"
    """
    from newsdesk.campaigns.judges import ModelJudge, ask_judge, judge_named, judge_result

    judge = judge_named(spec, timeout_s=timeout)
    if dry_run:
        if not isinstance(judge, ModelJudge):
            raise click.UsageError("--dry-run counts the tokens of a model; a command is not run.")
        _count(store, name, judge, most_tasks, retry=retry)
        return
    with drawn("judging") as progress:
        run = ask_judge(store, name, judge, now=now, most_tasks=most_tasks, retry=retry, progress=progress)  # fmt: skip
    note(f"{plural(run.asked, 'answer')} asked for, {run.stored_before} stored before, {run.unusable} not valid")  # fmt: skip
    emit(judge_result(store, name, judge.name))


def _count(
    store: Store, name: str, judge: ModelJudge | CommandJudge, most_tasks: int | None, *, retry: bool
) -> None:  # fmt: skip
    """Print what asking would use."""
    from newsdesk.campaigns.judges import open_sheets
    from newsdesk.llm import counted_only

    with counted_only() as usage:
        waiting = open_sheets(store, name, judge.name, most_tasks=most_tasks, retry=retry)
        for _ in judge.answers(waiting.sheets):
            pass
    click.echo(str(usage))
