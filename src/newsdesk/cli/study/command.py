"""`newsdesk study`: what the figures say together. Each verb is a file of its own, imported when it is called."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module, one-line help).
VERBS = {
    "table5": (
        "newsdesk.cli.study.table5",
        "ROUGE of every summarizer on the same clusters, as the WCEP paper's Table 5.",
    ),
    "tune": (
        "newsdesk.cli.study.tune",
        "Choose a summarizer's setting on drawn validation clusters.",
    ),
    "lengths": (
        "newsdesk.cli.study.lengths",
        "The best length of a summary: an oracle forced to each.",
    ),
    "curve": (
        "newsdesk.cli.study.curve",
        "Scores against the number of articles added to each cluster.",
    ),
}


@click.command("study", cls=LazyGroup, table=VERBS)
def study_command() -> None:
    """Studies of summarizers: compare methods, tune settings, lengths and learning curves."""
