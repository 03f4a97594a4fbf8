"""`newsdesk campaign`: collect human judgments, audit them and export them. Each verb is a module of its own, imported lazily."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module, one-line help).
VERBS = {
    "new": ("newsdesk.cli.campaign.new", "Create a campaign: its tasks, and who judges them."),
    "controls": (
        "newsdesk.cli.campaign.controls",
        "Make control questions with known answers from the files and options of a campaign to be, for `campaign new --controls`.",
    ),
    "status": (
        "newsdesk.cli.campaign.status",
        "Show the progress of a campaign, or list all campaigns.",
    ),
    "sheets": (
        "newsdesk.cli.campaign.sheets",
        "Write one blinded workbook per annotator; the blinding key stays in the store.",
    ),
    "import": (
        "newsdesk.cli.campaign.import_",
        "Import returned workbooks, CSV files or judgments; importing twice changes nothing.",
    ),
    "conflicts": (
        "newsdesk.cli.campaign.conflicts",
        "List the cells of imported sheets that contradict an answer given since the sheet was written, or decide them for one side.",
    ),
    "exclude": (
        "newsdesk.cli.campaign.exclude",
        "Exclude an annotator, or all who failed control questions, and open their slots for others.",
    ),
    "erase": (
        "newsdesk.cli.campaign.erase",
        "Erase articles from every campaign of a store: tasks, texts and judgments.",
    ),
    "judgments": (
        "newsdesk.cli.campaign.judgments",
        "Write the judgments; annotators appear as keyed hashes.",
    ),
    "weights": (
        "newsdesk.cli.campaign.weights",
        "Write the judged texts as references, weighted by mean grade, share of votes, or share of systems ranked below.",
    ),
    "gains": (
        "newsdesk.cli.campaign.gains",
        "Write threads with score, yes and votes; a file name that ends in .qrels gets TREC qrels with integer gains.",
    ),
    "pairs": (
        "newsdesk.cli.campaign.pairs",
        "Write training pairs: two targets of an item, the better one first.",
    ),
    "report": (
        "newsdesk.cli.campaign.report",
        "Write an HTML report: results, agreement, progress, annotators and a datasheet; or print it as JSON.",
    ),
}


@click.command("campaign", cls=LazyGroup, table=VERBS)
def campaign_command() -> None:
    """Collect human judgments, audit them and export them."""
