"""`newsdesk study`: studies of summarizers. Each verb is a file of its own, imported when it is called."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

# name → (module, one-line help).
VERBS = {
    "correlate": (
        "newsdesk.cli.study.correlate",
        "Correlate metrics with human scores, with intervals, tests and controls.",
    ),
    "compare": (
        "newsdesk.cli.study.compare",
        "Compare systems by metrics and human scores, with groups that cannot be told apart.",
    ),
    "table5": (
        "newsdesk.cli.study.table5",
        "Compare summarizers by ROUGE on the same clusters (WCEP, Table 5).",
    ),
    "tune": (
        "newsdesk.cli.study.tune",
        "Grid search of a summarizer's settings on sampled validation clusters.",
    ),
    "lengths": (
        "newsdesk.cli.study.lengths",
        "Find the best length of a summary with an oracle.",
    ),
    "curve": (
        "newsdesk.cli.study.curve",
        "Plot scores against the number of articles added to each cluster.",
    ),
    "plan": (
        "newsdesk.cli.study.plan",
        "Plan an annotation: the items, votes and people that find a difference.",
    ),
    "next": (
        "newsdesk.cli.study.next",
        "List which comments or outputs to label next.",
    ),
    "claims": (
        "newsdesk.cli.study.claims",
        "Check the numbers of a paper: reproduced, drifted, or not obtainable and why.",
    ),
    "report": (
        "newsdesk.cli.study.report",
        "Tell the results of a study as one self-contained page: verdict, pictures, tables, commands.",
    ),
}


@click.command("study", cls=LazyGroup, table=VERBS)
def study_command() -> None:
    """Studies of summarizers: compare methods, tune settings, lengths and learning curves."""
