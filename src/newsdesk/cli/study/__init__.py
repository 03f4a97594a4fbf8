"""`newsdesk study`: studies of metrics, systems, summarizers and annotation."""

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
        "Compare systems by metrics and human scores, with tests and groups of systems that do not differ.",
    ),
    "table5": (
        "newsdesk.cli.study.summarizers",
        "Compare summarizers by ROUGE on the same clusters (Gholipour Ghalandari et al. 2020, Table 5).",
    ),
    "tune": (
        "newsdesk.cli.study.summarizers",
        "Grid search of a summarizer's settings on sampled validation clusters.",
    ),
    "lengths": (
        "newsdesk.cli.study.summarizers",
        "Find the best length of a summary by an oracle that fills each length.",
    ),
    "curve": (
        "newsdesk.cli.study.curve",
        "Compute learning curves: scores by articles per cluster, comments per article or votes per comment.",
    ),
    "plan": (
        "newsdesk.cli.study.plan",
        "Plan an annotation: the items, votes and people needed to detect a difference.",
    ),
    "next": (
        "newsdesk.cli.study.plan",
        "List which comments or outputs to label next.",
    ),
    "claims": (
        "newsdesk.cli.study.report",
        "Check the numbers of a paper: reproduced, drifted, or not obtainable and why.",
    ),
    "report": (
        "newsdesk.cli.study.report",
        "Write results of other commands as one self-contained page: verdict, plots, tables, commands.",
    ),
}


@click.command("study", cls=LazyGroup, table=VERBS)
def study_command() -> None:
    """Study metrics, systems and annotation: correlate with people, compare, tune, plan, check claims, report.

    \b
    Example:
      newsdesk study table5 clusters.jsonl --methods oracle-multi,centroid,lead
    """
