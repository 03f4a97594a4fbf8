"""`newsdesk campaign`: collect human judgments, audit them and export them; what its verbs share."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.lazy import LazyGroup
from newsdesk.cli.options import Command, flag, option

# name → (module of this package, one-line help).
VERBS = {
    "new": ("new", "Create a campaign: its tasks and their assignment to annotators."),
    "add": ("upkeep", "Add items to a campaign that runs, assigned as at the beginning."),
    "controls": (
        "new",
        "Make control questions with known answers, for `campaign new --controls`.",
    ),
    "status": ("running", "Show the progress of a campaign, or list all campaigns."),
    "sheets": (
        "sheets",
        "Write one blinded workbook per annotator; the blinding key stays in the store.",
    ),
    "import": (
        "sheets",
        "Import returned workbooks, CSV files, wide tables or judgments (idempotent).",
    ),
    "imports": (
        "sheets",
        "List the imported files of a campaign, or take one back as a whole.",
    ),
    "conflicts": (
        "sheets",
        "List or resolve conflicts: cells of imported sheets that contradict newer answers.",
    ),
    "exclude": (
        "running",
        "Exclude an annotator, or all who failed control questions, and reassign their tasks.",
    ),
    "assign": ("upkeep", "Give tasks to an annotator; who is new to the campaign joins it."),
    "release": (
        "upkeep",
        "Open unanswered tasks for others: all of an annotator, or those that were claimed and left.",
    ),
    "adjudicate": (
        "upkeep",
        "List what annotators answered differently, or store gold answers from a file of judgments.",
    ),
    "notes": ("upkeep", "List what annotators noted on tasks."),
    "payments": (
        "upkeep",
        "Show tasks, hours and control questions of each annotator, and what is due.",
    ),
    "forget": (
        "upkeep",
        "Erase an annotator from a campaign: judgments, notes, conflicts and the name.",
    ),
    "erase": (
        "running",
        "Erase articles from every campaign of a store: tasks, texts and judgments.",
    ),
    "judge": (
        "judge",
        "Ask a model or a program every task twice, the order turned round, and say what its answers are worth.",
    ),
    "judgments": ("exports", "Write the judgments, with annotators as keyed hashes."),
    "weights": ("exports", "Write the judged texts as weighted references."),
    "gains": ("exports", "Write the judged comments as threads with scores, or as TREC qrels."),
    "pairs": ("exports", "Write training pairs: two targets of an item, the better one first."),
    "report": (
        "exports",
        "Write an HTML report: results, agreement, progress, annotators and a datasheet.",
    ),
}


@click.command("campaign", cls=LazyGroup, package=__name__, table=VERBS)
def campaign_command() -> None:
    """Collect human judgments, audit them and export them.

    \b
    Example:
      newsdesk campaign status
    """


store_option = options.store("Database of campaigns: sqlite:///FILE or postgresql://HOST/NAME.")
question_option = option(
    "--question", "Question to use, if several were asked; default: overall.", metavar="NAME"
)
systems_option = option(
    "--systems",
    "Columns of a wide table that hold outputs, comma-separated, each with its system where that is not its name (A=lead,B=textrank); default: by the names of columns and systems.",
    metavar="COLUMN[=SYSTEM],...",
)
# Of --theirs and --ours the last one counts.
side_option = options.group(
    option(
        "--theirs", "prefer", "Resolve conflicts with the sheet's answers.", flag_value="theirs"
    ),
    option("--ours", "prefer", "Resolve conflicts with the stored answers.", flag_value="ours"),
)


models_option = flag(
    "--include-models",
    "Also count the answers of models and programs (`via` model), which are left out otherwise.",
)


def opens_store(command: Command) -> Command:
    """Give a command the option --store, and the open store as the argument `store`.

    Where the command has --include-models, the store counts models.
    """

    @store_option
    @functools.wraps(command)
    def opening(*arguments: Any, url: str, include_models: bool = False, **rest: Any) -> Any:
        from newsdesk import campaigns

        with campaigns.Store.open(url, create=False, include_models=include_models) as opened:
            return command(*arguments, store=opened, **rest)

    return opening


def systems_of(text: str | None) -> dict[str, str] | None:
    """Return the value of --systems by column; None where it was left out."""
    from newsdesk.campaigns.sheets import parse_systems

    return None if text is None else parse_systems(text)


def now() -> str:
    """Return the current time as a timestamp of judgments."""
    from newsdesk.campaigns import moment

    return moment(datetime.now(UTC))
