"""`newsdesk study correlate`: metrics against people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show, typed
from newsdesk.cli.progress import drawn
from newsdesk.cli.study.sources import Sources, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsdesk.stats.significance import Correction
    from newsdesk.studies.correlate.correlations import Correlations
    from newsdesk.studies.correlate.study import Resample


@click.command("correlate")
@sources
@click.option(
    "--paper",
    is_flag=True,
    help="Also score with the weighted metrics as printed in Qin et al. (2018).",
)
@click.option(
    "--shuffles",
    type=options.Integer(min=0),
    default=5,
    show_default=True,
    help="Number of copies of each weighted metric with shuffled weights, as a control.",
)
@click.option(
    "--resample",
    type=click.Choice(["items", "systems", "both"]),
    default="items",
    show_default=True,
    help="What intervals generalize over: items, systems or both.",
)
@options.samples
@options.seed
@options.as_json
@options.printed
@options.force
def correlate_command(
    shuffles: int,
    resample: Resample,
    correction: Correction,
    samples: int,
    seed: int,
    out: str,
    *,
    source: Sources,
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
    from newsdesk.studies.correlate.study import CorrelateSettings

    if not source.metrics and not source.files.values:
        raise click.UsageError("--metrics or --values is needed: what should be correlated?")
    refuse_existing(out, force=force)
    settings = CorrelateSettings(
        samples=samples, seed=seed, correction=correction, resample=resample
    )
    inputs = source.read(paper=paper)
    with drawn("correlating") as progress:
        result = correlate(
            inputs.human,
            inputs.metrics,
            systems=inputs.systems,
            shuffles=shuffles,
            settings=settings,
            progress=progress,
        )
    if out.endswith(".html"):
        from newsdesk.studies.report import result_page

        content = correlations_json(result, inputs.systems)
        text = result_page(content, typed(), "Metrics against people")
    elif as_json or out.endswith(".json"):
        text = json_text(correlations_json(result, inputs.systems))
    else:
        text = _table(result)
    show(out, text, force=force)


def _table(result: Correlations) -> str:
    from newsdesk.studies.correlate.formats import notes, verdict

    blocks = [
        "\n".join([verdict(result), *notes(result)]),
        *_correlation_tables(result),
        *([_gain_table(result)] if result.gains else []),
        *([_accuracy_table(result)] if result.accuracies else []),
        *_test_tables(result),
        "\n".join(dict.fromkeys(row.signature for row in result.correlations)),
    ]
    return "\n\n".join(blocks)


def _correlation_tables(result: Correlations) -> Iterator[str]:
    """A table for each question that people were asked."""
    from newsdesk.cli.table import table
    from newsdesk.studies.correlate.formats import correlation_cells

    header = ["metric", "level", "pearson", "spearman", "kendall", "n"]
    for question in dict.fromkeys(row.human for row in result.correlations):
        rows = [
            list(correlation_cells(row)) for row in result.correlations if row.human == question
        ]
        yield f"{question}\n{table(header, rows)}"


def _gain_table(result: Correlations) -> str:
    """What weights gain over plain references, beside what shuffled weights gain."""
    from newsdesk.cli.table import Cell, table
    from newsdesk.studies.correlate.formats import cell

    header = [
        "gain (spearman)",
        "human",
        "level",
        "of weights",
        "of shuffled weights",
        "difference",
    ]
    rows: list[list[Cell]] = [
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
    return table(header, rows)


def _accuracy_table(result: Correlations) -> str:
    """Accuracy on pairs of outputs, with ties as they are and calibrated."""
    from newsdesk.cli.table import Cell, table
    from newsdesk.studies.correlate.formats import cell

    header = ["pairs", "human", "accuracy", "ties calibrated", "epsilon", "n"]
    rows: list[list[Cell]] = [
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
    return table(header, rows)


def _test_tables(result: Correlations) -> Iterator[str]:
    """The tests between metrics, if there are any."""
    from newsdesk.cli.table import Cell, table
    from newsdesk.studies.correlate.formats import cell, shown_tests

    header = ["first", "second", "human", "level", "difference", "p", "p corrected", "items to add"]
    rows: list[list[Cell]] = [
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
        for test in shown_tests(result)
    ]
    if rows:
        yield table(header, rows)
