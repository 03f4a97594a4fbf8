"""`newsdesk study correlate`: metrics against people."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits, note
from newsdesk.cli.options import flag, input_file, option
from newsdesk.cli.progress import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsdesk.stats.significance import Correction
    from newsdesk.studies.correlate.correlations import Correlations
    from newsdesk.studies.correlate.inputs import CorrelateFiles, CorrelateInputs
    from newsdesk.studies.correlate.study import Resample

_SOURCES = options.group(
    click.argument("outputs", type=options.INPUT, nargs=-1, metavar="[OUTPUT]..."),
    input_file("--references", "References, weighted or not, or clusters."),
    input_file("--human", "Human scores: CSV or JSONL with id, system and a column per question."),
    input_file("--judgments", "Human judgments (JSONL) instead of --human."),
    option(
        "--protocol",
        "Protocol of --human or --judgments: rank if 1 is best, grade if the highest is best (the default).",
        metavar="NAME|FILE",
    ),
    option("--campaign", "Human judgments of this campaign, instead of --human.", metavar="NAME"),
    options.store("Database of --campaign."),
    option("--questions", "Use only these questions, comma-separated.", metavar="NAMES"),
    option(
        "--metrics",
        "Names or specs of metrics, comma-separated; table1: the metrics of Qin et al. (2018), Table 1.",
        metavar="METRICS",
    ),
    input_file("--values", "Precomputed values of metrics, in the form of --human."),
    option("--lang", "Language of the texts; default: that of the references.", metavar="LANG"),
    option(
        "--correction",
        "Correction of the p-values of tests.",
        type=click.Choice(["holm", "bonferroni", "bh"]),
        default="holm",
    ),
)


class Sources:
    """What the options name: files, metrics and questions."""

    def __init__(
        self, files: CorrelateFiles, metrics: str | None, questions: str | None, lang: str | None
    ) -> None:
        self.files, self.metrics, self.questions, self.lang = files, metrics, questions, lang

    def read(self, *, paper: bool = False, score: bool = True) -> CorrelateInputs:
        """Read all files; what the reader should know goes to stderr."""
        from newsdesk.studies.correlate.inputs import read_inputs

        questions = self.questions.split(",") if self.questions else None
        inputs = read_inputs(
            self.files,
            metrics=self.metrics,
            questions=questions,
            lang=self.lang,
            paper=paper,
            score=score,
        )
        for sentence in inputs.notes:
            note(sentence)
        return inputs


def sources(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command with these options; it gets them as one argument, `source`."""

    @_SOURCES
    @wraps(function)
    def gathered(
        *,
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
        lang: str | None,
        **rest: Any,
    ) -> None:
        from newsdesk.studies.correlate.inputs import CorrelateFiles

        if sum(map(bool, (human, judgments, campaign))) > 1:
            raise click.UsageError(
                "--human, --judgments and --campaign exclude each other; choose one."
            )
        if campaign and protocol:
            raise click.UsageError("--campaign has a protocol of its own; leave --protocol out.")
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
        function(source=Sources(files, metrics, questions, lang), **rest)

    return gathered


@click.command("correlate")
@sources
@flag("--paper", "Also score with the weighted metrics as printed in Qin et al. (2018).")
@option(
    "--shuffles",
    "Number of copies of each weighted metric with shuffled weights, as a control.",
    type=options.Integer(min=0),
    default=5,
)
@option(
    "--resample",
    "What intervals generalize over: items, systems or both.",
    type=click.Choice(["items", "systems", "both"]),
    default="items",
)
@options.samples
@options.seed
@emits
def correlate_command(
    shuffles: int,
    resample: Resample,
    correction: Correction,
    samples: int,
    seed: int,
    *,
    source: Sources,
    paper: bool,
    emit: Emit,
) -> None:
    """Correlate metrics with human scores: pooled, within items and over systems, with intervals and tests between metrics.

    Without --human, --judgments or --campaign the outputs themselves are rated: rows or documents with texts, references and scores.

    \b
    Example:
      newsdesk study correlate outputs.jsonl --references references.jsonl --human human.csv --metrics meteor,w-meteor
    """
    from newsdesk.studies.correlate.correlations import correlate
    from newsdesk.studies.correlate.formats import correlations_json
    from newsdesk.studies.correlate.study import CorrelateSettings

    if not source.metrics and not source.files.values:
        raise click.UsageError("--metrics or --values is needed: what should be correlated?")
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
    emit(
        result,
        _table,
        lambda result: correlations_json(result, inputs.systems),
        page="Metrics against people",
    )


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
    """Yield a table for each question that people were asked."""
    from newsdesk.cli.table import table
    from newsdesk.studies.correlate.formats import correlation_cells

    header = ["metric", "level", "pearson", "spearman", "kendall", "n"]
    for question in dict.fromkeys(row.human for row in result.correlations):
        rows = [
            list(correlation_cells(row)) for row in result.correlations if row.human == question
        ]
        yield f"{question}\n{table(header, rows)}"


def _gain_table(result: Correlations) -> str:
    """Return what weights gain over plain references, beside what shuffled weights gain."""
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
    """Yield the tests between metrics, if there are any."""
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
