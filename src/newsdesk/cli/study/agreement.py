"""`newsdesk study agreement`: what a file of judgments says, and how far people agree, without a campaign."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits
from newsdesk.cli.options import option

if TYPE_CHECKING:
    from newsdesk.campaigns.report.result import JudgedResults


@click.command("agreement")
@click.argument("judgments", type=options.INPUT)
@option(
    "--protocol",
    "Protocol of the judgments: grade, constructive, rank, relate, or a TOML file of your own.",
    required=True,
    metavar="NAME|FILE",
)
@options.seed
@emits
def agreement_command(judgments: str, protocol: str, seed: int, *, emit: Emit) -> None:
    """Print means and shares of a file of judgments, and every measure of agreement, with intervals.

    \b
    Example:
      newsdesk study agreement judgments.jsonl --protocol rank
    """
    from newsdesk import campaigns, records
    from newsdesk.campaigns.report import results_of_judgments
    from newsdesk.types import Judgment

    form = campaigns.protocol(protocol)
    results = results_of_judgments(form, records.read(judgments, Judgment), seed=seed)
    emit(results, _tables, lambda results: results.as_json())


def _tables(judged: JudgedResults) -> str:
    from newsdesk.results.table import ranged, table

    results = judged.results
    blocks = []
    if results.estimates or results.systems:
        rows = [
            [row.name, ranged(row.value, row.ci), row.n]
            for row in (*(results.estimates or ()), *(results.systems or ()))
        ]
        blocks.append(table(["result", "value", "n"], rows))
    if results.questions:
        ranks = [
            [standing.question, row.system, ranged(row.mean_rank, row.mean_rank_ci)]
            for standing in results.questions
            for row in standing.systems
        ]
        blocks.append(table(["question", "system", "mean rank"], ranks))
    agreement = [
        [row.question, row.measure, ranged(row.value, row.ci), row.items]
        for row in judged.agreement
    ]
    blocks.append(table(["question", "agreement", "value", "items"], agreement))
    return "\n\n".join(blocks)
