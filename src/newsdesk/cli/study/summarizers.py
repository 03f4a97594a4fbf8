"""Study summarizers: `newsdesk study table5`, `tune`, `lengths` and `curve`, which studies rankers too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits_as, note
from newsdesk.cli.options import input_file, option
from newsdesk.cli.presets import preset_option
from newsdesk.cli.progress import drawn
from newsdesk.cli.study import StudyOptions, study_options
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.studies.sweep import SweepResult
    from newsdesk.summarizers import Summarizer
    from newsdesk.summarizers.evaluate import Counted


@click.command("curve")
@click.argument("clusters", type=options.INPUT)
@option(
    "-m",
    "--method",
    "methods",
    "Name or spec of a summarizer, or with --by comments|votes of a ranker; repeatable.",
    multiple=True,
    required=True,
    metavar="METHOD",
)
@option(
    "--added",
    "Numbers of articles to add, or with --by of comments or votes to train on.",
    type=options.NUMBERS,
    default="0,5,10,20,50,100",
    metavar="N,N,…",
)
@option(
    "--measure",
    "Measure to show: R1-F, R2-F, RL-F, R1-R, R2-R or RL-R.",
    default="R1-F",
    metavar="NAME",
)
@option(
    "--by",
    "Articles per cluster; or for rankers: comments per article, votes per comment.",
    type=click.Choice(["articles", "comments", "votes"]),
    default="articles",
)
@option("--sample", "Number of clusters to sample; default: all.", type=int)
@option("--max-words", "Length limit of a summary in words.", default=40)
@reads_threads
@study_options
def curve_command(
    clusters: str,
    methods: tuple[str, ...],
    added: list[int],
    measure: str,
    by: Literal["articles", "comments", "votes"],
    sample: int | None,
    max_words: int,
    *,
    study: StudyOptions,
    files: ThreadFiles,
) -> None:
    """Compute learning curves: scores by articles per cluster, comments per article or votes per comment.

    With --by comments or votes the file holds threads, the methods are rankers, and --added is how many comments of an article, or votes of a comment, they
    are trained on: bLMP and NDCG@5 on held-out articles.

    \b
    Example:
      newsdesk study curve clusters.jsonl --method centroid --method submodular --added 0,5,10 -o curve.json
      newsdesk study curve threads.jsonl --method ranksvm --by comments --added 5,10,20
    """
    from newsdesk import records
    from newsdesk.studies.curve import curve, ranker_curve
    from newsdesk.types import Cluster

    _check_measure(measure)
    if by == "articles":
        settings = {"added": added, "measure": measure, "sample": sample, "max_words": max_words}
        read = records.read(clusters, Cluster)
        result: SweepResult = study.run("curve", curve, read, methods, **settings)
    else:
        drawing = {"samples": study.samples, "seed": study.seed}
        with drawn("curve") as progress:
            result = ranker_curve(
                files.read(clusters), methods, by=by, counts=added, progress=progress, **drawing
            )
    study.show(result)


@click.command("table5")
@click.argument("clusters", type=options.INPUT)
@option(
    "--methods", "Names or specs of summarizers, comma-separated; default: all.", metavar="METHODS"
)
@preset_option("study table5", specs="methods")
@option(
    "--encoder",
    "Encoder of bertreg where --methods does not name it: hf:PATH for the paper's BERT; default: wordllama.",
    metavar="ENCODER",
)
@input_file("--train", "Clusters to fit trained methods on; without them they are cross-validated.")
@input_file("--dev", "Clusters to tune redundancy and diversity on, with --tune.")
@option(
    "--tune",
    "Number of --dev clusters to sample for tuning; the paper has 100.",
    type=click.IntRange(1),
    metavar="N",
)
@input_file("--references", "References (several per cluster) to use instead of `summary`.")
@option("--folds", "Number of cross-validation folds for trained methods.", default=5)
@option("--max-words", "Length limit of a summary, in --unit.", default=40)
@option(
    "--unit",
    "Unit of --max-words: tokens with punctuation, as in the paper, or words.",
    type=click.Choice(["tokens", "words"]),
    default="tokens",
)
@option("--against", "Also test all other methods against this one.", metavar="METHOD")
@options.samples
@options.seed
@emits_as(
    "Print JSON instead of Markdown.", "Output file; `-` is standard output, NAME.html a page."
)
def table5_command(
    clusters: str,
    methods: str | None,
    encoder: str | None,
    train: str | None,
    dev: str | None,
    tune: int | None,
    references: str | None,
    folds: int,
    max_words: int,
    unit: Counted,
    against: str | None,
    samples: int,
    seed: int,
    *,
    emit: Emit,
) -> None:
    """Compare summarizers by ROUGE on the same clusters (Gholipour Ghalandari et al. 2020, Table 5).

    Trained methods without a model are fitted on --train, or cross-validated: fitted on the clusters of the other folds. With --tune
    redundancy (0 to 1) or diversity (1 to 10) is chosen on --dev clusters, as in the paper.

    \b
    Example:
      newsdesk study table5 clusters.jsonl --methods oracle-multi,centroid,tsr --against centroid
      newsdesk study table5 test.jsonl.gz --train train.jsonl.gz --dev val.jsonl.gz --tune 100 -o table5.html
    """
    from newsdesk import records
    from newsdesk.studies.table5 import baseline_of, notes_on_methods, table5
    from newsdesk.studies.table5_result import table5_json, table5_markdown
    from newsdesk.summarizers.evaluate import configured
    from newsdesk.types import Cluster, References

    if bool(dev) != bool(tune):
        raise click.UsageError("--dev and --tune N go together: N clusters of --dev are sampled")
    # An unknown name fails before any file is read.
    limit: dict[str, Any] = {"max_words": max_words, "unit": unit, "seed": seed}
    summarizers = [configured(name, **limit) for name in _specs_with_encoder(methods, encoder)]
    if against:
        baseline_of(summarizers, against, **limit)
    notes = notes_on_methods(summarizers)
    for text in notes:
        if "--encoder" in text and not _typed("methods"):
            note(text)
    if train or dev:
        summarizers, chosen = _fitted_and_tuned(summarizers, train, dev, tune, seed)
        notes = [*chosen, *notes]
    baseline = baseline_of(summarizers, against, **limit) if against else None
    listed = list(records.read(clusters, Cluster))
    with drawn("summarizing") as progress:
        evaluation = table5(
            listed,
            summarizers,
            references=records.read(references, References) if references else None,
            folds=folds,
            samples=samples,
            progress=progress,
            **limit,
        )
    emit(
        evaluation,
        lambda evaluation: table5_markdown(evaluation, baseline, notes),
        lambda evaluation: table5_json(evaluation, baseline, notes),
        page="Summarizers compared",
    )


def _typed(option: str) -> bool:
    """Return True if an option stands on the command line; a preset or a default does not count."""
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


def _specs_with_encoder(methods: str | None, encoder: str | None) -> list[str]:
    """Return the specs of the methods; typed ones name their encoder themselves."""
    from newsdesk.metrics.systems import split_specs
    from newsdesk.registry import SUMMARIZERS
    from newsdesk.studies.table5 import with_encoder

    specs = split_specs(methods) if methods else [name for name in SUMMARIZERS if name != "llm"]
    if not _typed("methods"):
        return with_encoder(specs, encoder)
    if encoder:
        raise click.UsageError(
            "--encoder goes with all methods; in --methods name it: bertreg(encoder='hf:PATH')"
        )
    return specs


def _fitted_and_tuned(
    summarizers: list[Summarizer], train: str | None, dev: str | None, tune: int | None, seed: int
) -> tuple[list[Summarizer], list[str]]:
    """Return the methods after fitting on one file and tuning on another, and what was chosen."""
    from newsdesk import records
    from newsdesk.studies.table5 import ready_methods
    from newsdesk.types import Cluster

    with drawn("fitting and tuning") as progress:
        return ready_methods(
            summarizers,
            train=(lambda: records.read(train, Cluster)) if train else None,
            dev=records.read(dev, Cluster) if dev else None,
            tune_on=tune or 1,
            seed=seed,
            progress=progress,
        )


@click.command("tune")
@click.argument("clusters", type=options.INPUT)
@options.method
@option(
    "--grid",
    "grids",
    "Values of a setting to try; repeat for all combinations. Default: redundancy 0 to 1, or diversity 1 to 10.",
    multiple=True,
    metavar="NAME=V,V,…",
)
@option(
    "--measure",
    "Measure to maximize: R1-F, R2-F, RL-F, R1-R, R2-R or RL-R.",
    default="R1-F",
    metavar="NAME",
)
@option("--sample", "Number of clusters to sample.", default=100)
@option("--max-words", "Length limit of a summary in words.", default=40)
@preset_option("study tune", specs="method")
@study_options
def tune_command(
    clusters: str,
    method: str,
    grids: tuple[str, ...],
    measure: str,
    sample: int,
    max_words: int,
    *,
    study: StudyOptions,
) -> None:
    """Grid search of a summarizer's settings on sampled validation clusters.

    Use the chosen spec with `newsdesk summarize --method`; it becomes part of every signature.

    \b
    Example:
      newsdesk study tune clusters.jsonl --method submodular --sample 100 -o tuned.json
    """
    from newsdesk import records
    from newsdesk.studies.tuning import grid_of, tune
    from newsdesk.types import Cluster

    _check_measure(measure)
    grid = dict(map(_grid, grids)) or grid_of(method)
    read = records.read(clusters, Cluster)
    settings = {"grid": grid, "measure": measure, "sample": sample, "max_words": max_words}
    result = study.run("tuning", tune, read, method, **settings)
    if result.clusters < sample:
        there = "is only" if result.clusters == 1 else "are only"
        size = plural(result.clusters, "cluster")
        note(f"there {there} {size}, and all were used")
    study.show(result)


def _check_measure(measure: str) -> None:
    from newsdesk.summarizers.evaluate import MEASURES

    if measure not in MEASURES:
        raise click.BadParameter(
            f"{measure!r} is none of {', '.join(MEASURES)}", param_hint="--measure"
        )


def _grid(text: str) -> tuple[str, tuple[Any, ...]]:
    """Parse `name=1,2,3` into a name and values, each a number, True, False or text."""
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise click.BadParameter(f"{text!r} is not like redundancy=0.3,0.5", param_hint="--grid")
    return name.strip(), tuple(_value(value.strip()) for value in values.split(","))


def _value(text: str) -> Any:
    from newsdesk.errors import SpecError
    from newsdesk.registry import Spec

    try:
        return Spec.parse(f"grid(value={text})").arguments[0][1]
    except SpecError:
        return text


@click.command("lengths")
@click.argument("clusters", type=options.INPUT)
@option(
    "--words",
    "Lengths to try, in words.",
    type=options.NUMBERS,
    default="25,30,35,40,45,50",
    metavar="N,N,…",
)
@option(
    "--oracle",
    "oracle-multi: sentences of the whole cluster; oracle-single: of the best single article.",
    type=click.Choice(["oracle-multi", "oracle-single"]),
    default="oracle-multi",
)
@option("--sample", "Number of clusters to sample; default: all.", type=int)
@preset_option("study lengths")
@study_options
def lengths_command(
    clusters: str,
    words: list[int],
    oracle: str,
    sample: int | None,
    *,
    study: StudyOptions,
) -> None:
    """Find the best length of a summary: ROUGE of an oracle forced to fill each length.

    \b
    Example:
      newsdesk study lengths clusters.jsonl --words 25,30,35,40,45,50 -o lengths.json
    """
    from newsdesk import records
    from newsdesk.studies.tuning import study_lengths
    from newsdesk.types import Cluster

    read = records.read(clusters, Cluster)
    settings = {"oracle": oracle, "lengths": words, "sample": sample}
    study.show(study.run("lengths", study_lengths, read, **settings))
