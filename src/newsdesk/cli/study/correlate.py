"""Compare metrics with people (`newsdesk study correlate`), systems by metrics and people (`study compare`), and people with each other (`study agreement`)."""

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
    from newsdesk.campaigns.report.result import JudgedResults
    from newsdesk.stats.significance import Correction
    from newsdesk.studies.correlate.inputs import CorrelateFiles, CorrelateInputs
    from newsdesk.studies.correlate.study import Resample


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


_SOURCES = options.group(
    click.argument("outputs", type=options.INPUT, nargs=-1, metavar="[OUTPUT]..."),
    input_file(
        "--references",
        "References, weighted or not, clusters, or threads, whose scored comments are references.",
    ),
    input_file("--human", "Human scores: CSV or JSONL with id, system and a column per question."),
    input_file("--judgments", "Human judgments (JSONL) instead of --human."),
    option(
        "--protocol",
        "Protocol of --human or --judgments: rank if 1 is best, grade if the highest is best (the default).",
        metavar="NAME|FILE",
    ),
    option("--campaign", "Human judgments of this campaign, instead of --human.", metavar="NAME"),
    options.store("Database of --campaign."),
    flag("--include-models", "Also count judgments of models and programs (`via` model)."),
    option("--questions", "Use only these questions, comma-separated.", metavar="NAMES"),
    option(
        "--metrics",
        "Names or specs of metrics, comma-separated; table1: the metrics of Qin et al. (2018), Table 1.",
        metavar="METRICS",
    ),
    input_file("--values", "Precomputed values of metrics, in the form of --human."),
    option(
        "--cluster-by",
        "Outputs that are logs: draw samples with one value of this key of their metadata together.",
        metavar="KEY",
    ),
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
        *, url: str, questions: str | None, metrics: str | None, lang: str | None, **rest: Any
    ) -> None:
        from newsdesk.studies.correlate.inputs import CorrelateFiles

        names = ("outputs", "references", "human", "judgments", "protocol", "campaign", "values", "cluster_by", "include_models")  # fmt: skip
        files = CorrelateFiles(store=url, **{name: rest.pop(name) for name in names})
        if sum(map(bool, (files.human, files.judgments, files.campaign))) > 1:
            raise click.UsageError(
                "--human, --judgments and --campaign exclude each other; choose one."
            )
        if files.campaign and files.protocol:
            raise click.UsageError("--campaign has a protocol of its own; leave --protocol out.")
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
    emit(result, page="Metrics against people")


@click.command("compare")
@sources
@options.samples
@options.seed
@emits
def compare_command(
    correction: Correction,
    samples: int,
    seed: int,
    *,
    source: Sources,
    emit: Emit,
) -> None:
    """Compare systems by metrics and human scores: intervals, tests, groups that do not differ, ranks, length as a covariate.

    The outputs may be logs of inspect-ai, lighteval and deepeval: their scorers are compared.

    \b
    Example:
      newsdesk study compare outputs.jsonl --references references.jsonl --human human.csv --metrics rouge-1,w-meteor
    """
    from newsdesk.studies.compare import CompareSettings, compare_inputs

    settings = CompareSettings(samples=samples, seed=seed, correction=correction)
    inputs = source.read(score=False)
    with drawn("comparing") as progress:
        result = compare_inputs(inputs, settings, progress)
    emit(result)
