"""`newsdesk campaign`: judgments asked for, collected, audited and put to use. Each verb is a file of its own, imported when it is called."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module, one-line help).
VERBS = {
    "new": ("newsdesk.cli.campaign.new", "Start a campaign: make its tasks and give them out."),
    "status": (
        "newsdesk.cli.campaign.status",
        "How far a campaign is, or which campaigns there are.",
    ),
    "sheets": (
        "newsdesk.cli.campaign.sheets",
        "Write one blinded workbook per annotator; the key stays in the store.",
    ),
    "import": (
        "newsdesk.cli.campaign.import_",
        "Take in returned workbooks, CSV files or judgments; the same file twice changes nothing.",
    ),
    "exclude": (
        "newsdesk.cli.campaign.exclude",
        "Leave an annotator out and open their slots for others.",
    ),
    "judgments": (
        "newsdesk.cli.campaign.judgments",
        "Write the judgments, annotators as keyed hashes.",
    ),
    "weights": (
        "newsdesk.cli.campaign.weights",
        "Write the judged texts as references, weighted by mean grade, share of votes, or share of others ranked behind.",
    ),
    "gains": (
        "newsdesk.cli.campaign.gains",
        "Write threads with score, yes and votes; a name that ends in .qrels gets whole-number TREC qrels.",
    ),
    "pairs": (
        "newsdesk.cli.campaign.pairs",
        "Write every two targets of an item of which one was judged better.",
    ),
    "report": (
        "newsdesk.cli.campaign.report",
        "Write one page: progress, results, agreement, annotators, ranking with intervals.",
    ),
}


@click.command("campaign", cls=LazyGroup, table=VERBS)
def campaign_command() -> None:
    """Collect human judgments, audit them and export them."""
