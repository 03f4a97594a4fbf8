"""`newsdesk study correlate`: metrics against people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.progress import counted

if TYPE_CHECKING:
    from newsdesk.metrics.significance import Correction
    from newsdesk.studies.correlate.correlations import Correlations


@click.command("correlate")
@click.argument("outputs", type=options.INPUT, nargs=-1, metavar="[OUTPUT]...")
@click.option("--references", type=options.INPUT, help="References, weighted or not, or clusters.")
@click.option(
    "--human",
    type=options.INPUT,
    help="Human scores: CSV or JSONL with id, system and a column per question.",
)
@click.option("--judgments", type=options.INPUT, help="Human judgments (JSONL) instead of --human.")
@click.option("--protocol", help="The protocol of --judgments, if they are ranks: rank.")
@click.option("--campaign", help="A campaign in --store instead of --human.")
@options.store("Database of --campaign.")
@click.option("--question", "questions", help="Only these questions, comma-separated.")
@click.option(
    "--metrics", help="Names and specs, comma-separated; `table1` is the rows of Qin et al. (2018)."
)
@click.option(
    "--values", type=options.INPUT, help="Ready values of metrics, in the form of --human."
)
@click.option(
    "--paper", is_flag=True, help="Also score with the paper's readings of weighted metrics."
)
@click.option(
    "--shuffles", default=5, show_default=True, help="Shuffled copies of each weighted metric."
)
@click.option("--lang", help="The language of the texts, if it is not that of the references.")
@click.option(
    "--correction",
    type=click.Choice(["holm", "bonferroni", "bh"]),
    default="holm",
    show_default=True,
    help="Correction of the p-values of tests.",
)
@options.samples
@options.seed
@options.as_json
@options.printed
@options.force
def correlate_command(
    outputs: tuple[str, ...],
    references: str | None,
    human: str | None,
    judgments: str | None,
    protocol: str | None,
    campaign: str | None,
    url: str,
    questions: str | None,
    metrics: str | None,
    values: str | None,
    shuffles: int,
    lang: str | None,
    correction: Correction,
    samples: int,
    seed: int,
    out: str,
    *,
    paper: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Correlate metrics with human scores: pooled, within items and over systems, with intervals and tests between metrics.

    Without --human, --judgments or --campaign the outputs themselves are rated: rows or documents with texts, references and scores.

    \b
    Example:
      newsdesk study correlate outputs.jsonl --references references.jsonl --human human.csv --metrics meteor,w-meteor
    """
    from newsdesk.jsonl import json_text
    from newsdesk.studies.correlate.correlations import correlate
    from newsdesk.studies.correlate.formats import correlations_json
    from newsdesk.studies.correlate.inputs import CorrelateFiles, read_inputs
    from newsdesk.studies.correlate.study import Settings

    if len([each for each in (human, judgments, campaign) if each]) > 1:
        raise click.UsageError(
            "--human, --judgments and --campaign exclude each other; choose one."
        )
    if not metrics and not values:
        raise click.UsageError("--metrics or --values is needed: what should be correlated?")
    refuse_existing(out, force=force)
    files = CorrelateFiles(
        outputs=outputs,
        references=references,
        human=human,
        judgments=judgments,
        protocol=protocol,
        campaign=campaign,
        store=url,
        values=values,
    )
    inputs = read_inputs(
        files,
        metrics=metrics,
        questions=questions.split(",") if questions else None,
        lang=lang,
        paper=paper,
    )
    for note in inputs.notes:
        click.echo(f"note: {note}", err=True)
    settings = Settings(samples=samples, seed=seed, correction=correction)
    with counted("correlating", len(inputs.human)) as progress:
        result = correlate(
            inputs.human,
            inputs.metrics,
            systems=inputs.systems,
            shuffles=shuffles,
            settings=settings,
            progress=progress,
        )
    text = (
        json_text(correlations_json(result)) if as_json or out.endswith(".json") else _table(result)
    )
    show(out, text, force=force)


def _table(result: Correlations) -> str:
    from newsdesk.cli.table import Cell, table
    from newsdesk.studies.correlate.formats import cell, correlation_cells, shown_tests
    from newsdesk.studies.correlate.verdict import notes, verdict

    lines = [verdict(result), *notes(result)]
    for question in dict.fromkeys(row.human for row in result.correlations):
        rows: list[list[Cell]] = [
            list(correlation_cells(row)) for row in result.correlations if row.human == question
        ]
        lines += [
            "",
            question,
            table(["metric", "level", "pearson", "spearman", "kendall", "n"], rows),
        ]
    if result.gains:
        gains: list[list[Cell]] = [
            [
                row.weighted,
                row.human,
                row.level,
                cell(row.gain, row.ci),
                cell(row.shuffled, row.shuffled_ci),
                cell(row.net, row.net_ci),
            ]
            for row in result.gains
            if row.coefficient == "spearman"
        ]
        header = [
            "gain (spearman)",
            "human",
            "level",
            "of weights",
            "of shuffled weights",
            "difference",
        ]
        lines += ["", table(header, gains)]
    if result.accuracies:
        pairs: list[list[Cell]] = [
            [
                row.metric,
                row.human,
                cell(row.accuracy, row.ci),
                cell(row.calibrated, row.calibrated_ci),
                f"{row.epsilon:.3g}",
                row.n,
            ]
            for row in result.accuracies
        ]
        lines += [
            "",
            table(["pairs", "human", "accuracy", "ties calibrated", "epsilon", "n"], pairs),
        ]
    if tests := shown_tests(result):
        tested: list[list[Cell]] = [
            [
                test.first,
                test.second,
                test.human,
                test.level,
                cell(test.difference, test.ci),
                test.p,
                test.p_corrected,
                test.more_items,
            ]
            for test in tests
        ]
        header = [
            "first",
            "second",
            "human",
            "level",
            "difference",
            "p",
            "p corrected",
            "items to add",
        ]
        lines += ["", table(header, tested)]
    lines += ["", *dict.fromkeys(row.signature for row in result.correlations)]
    return "\n".join(lines)
