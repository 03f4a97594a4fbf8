"""`newsdesk campaign`: collect human judgments, audit them and export them."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module, one-line help).
VERBS = {
    "new": (
        "newsdesk.cli.campaign.new",
        "Create a campaign: its tasks and their assignment to annotators.",
    ),
    "controls": (
        "newsdesk.cli.campaign.new",
        "Make control questions with known answers, for `campaign new --controls`.",
    ),
    "status": (
        "newsdesk.cli.campaign.running",
        "Show the progress of a campaign, or list all campaigns.",
    ),
    "sheets": (
        "newsdesk.cli.campaign.sheets",
        "Write one blinded workbook per annotator; the blinding key stays in the store.",
    ),
    "import": (
        "newsdesk.cli.campaign.sheets",
        "Import returned workbooks, CSV files or judgments (idempotent).",
    ),
    "conflicts": (
        "newsdesk.cli.campaign.sheets",
        "List or resolve conflicts: cells of imported sheets that contradict newer answers.",
    ),
    "exclude": (
        "newsdesk.cli.campaign.running",
        "Exclude an annotator, or all who failed control questions, and reassign their tasks.",
    ),
    "erase": (
        "newsdesk.cli.campaign.running",
        "Erase articles from every campaign of a store: tasks, texts and judgments.",
    ),
    "judgments": (
        "newsdesk.cli.campaign.exports",
        "Write the judgments, with annotators as keyed hashes.",
    ),
    "weights": (
        "newsdesk.cli.campaign.exports",
        "Write the judged texts as weighted references.",
    ),
    "gains": (
        "newsdesk.cli.campaign.exports",
        "Write the judged comments as threads with scores, or as TREC qrels.",
    ),
    "pairs": (
        "newsdesk.cli.campaign.exports",
        "Write training pairs: two targets of an item, the better one first.",
    ),
    "report": (
        "newsdesk.cli.campaign.exports",
        "Write an HTML report: results, agreement, progress, annotators and a datasheet.",
    ),
}


@click.command("campaign", cls=LazyGroup, table=VERBS)
def campaign_command() -> None:
    """Collect human judgments, audit them and export them.

    \b
    Example:
      newsdesk campaign status
    """
