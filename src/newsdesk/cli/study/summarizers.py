"""Study summarizers: `newsdesk study table5`, `newsdesk study tune` and `newsdesk study lengths`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits_as, note
from newsdesk.cli.options import input_file, option
from newsdesk.cli.progress import drawn
from newsdesk.cli.study.options import (
    StudyOptions,
    check_measure,
    numbers,
    study_options,
)
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.summarizers.evaluate import Counted


@click.command("table5")
@click.argument("clusters", type=options.INPUT)
@option(
    "--methods", "Names or specs of summarizers, comma-separated; default: all.", metavar="METHODS"
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

    Trained methods without a model are cross-validated: fitted on the clusters of the other folds.

    \b
    Example:
      newsdesk study table5 clusters.jsonl --methods oracle-multi,centroid,tsr --against centroid
    """
    from newsdesk import records
    from newsdesk.metrics.systems import split_specs
    from newsdesk.registry import SUMMARIZERS
    from newsdesk.studies.table5 import baseline_of, table5
    from newsdesk.studies.table5_result import table5_json, table5_markdown
    from newsdesk.summarizers.evaluate import configured
    from newsdesk.types import Cluster, References

    names = split_specs(methods) if methods else list(SUMMARIZERS)
    # An unknown name fails before any file is read.
    limit: dict[str, Any] = {"max_words": max_words, "unit": unit, "seed": seed}
    summarizers = [configured(name, **limit) for name in names]
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
        lambda evaluation: table5_markdown(evaluation, baseline),
        lambda evaluation: table5_json(evaluation, baseline),
        page="Summarizers compared",
    )


@click.command("tune")
@click.argument("clusters", type=options.INPUT)
@option(
    "-m",
    "--method",
    "Name or spec of a summarizer; `newsdesk list summarizers` has the names.",
    required=True,
    metavar="METHOD",
)
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

    check_measure(measure)
    grid = dict(map(_grid, grids)) or grid_of(method)
    files = study.files()
    with drawn("tuning") as progress:
        result = tune(
            records.read(clusters, Cluster),
            method,
            grid=grid,
            measure=measure,
            sample=sample,
            max_words=max_words,
            samples=study.samples,
            seed=study.seed,
            processes=study.jobs,
            log=files.log if files else None,
            progress=progress,
        )
    if result.clusters < sample:
        there = "is only" if result.clusters == 1 else "are only"
        size = plural(result.clusters, "cluster")
        note(f"there {there} {size}, and all were used")
    study.show(files, result)


def _grid(text: str) -> tuple[str, tuple[Any, ...]]:
    """Parse `name=1,2,3` into a name and values, each a number, True, False or text."""
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise click.BadParameter(f"{text!r} is not like redundancy=0.3,0.5", param_hint="--grid")
    return name.strip(), tuple(_value(each.strip()) for each in values.split(","))


def _value(text: str) -> Any:
    from newsdesk.errors import SpecError
    from newsdesk.registry import Spec

    try:
        return Spec.parse(f"grid(value={text})").arguments[0][1]
    except SpecError:
        return text


@click.command("lengths")
@click.argument("clusters", type=options.INPUT)
@option("--words", "Lengths to try, in words.", default="25,30,35,40,45,50", metavar="N,N,…")
@option(
    "--oracle",
    "oracle-multi: sentences of the whole cluster; oracle-single: of the best single article.",
    type=click.Choice(["oracle-multi", "oracle-single"]),
    default="oracle-multi",
)
@option("--sample", "Number of clusters to sample; default: all.", type=int)
@study_options
def lengths_command(
    clusters: str,
    words: str,
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

    tried = numbers(words, "--words")
    files = study.files()
    with drawn("lengths") as progress:
        result = study_lengths(
            records.read(clusters, Cluster),
            oracle=oracle,
            lengths=tried,
            sample=sample,
            samples=study.samples,
            seed=study.seed,
            processes=study.jobs,
            log=files.log if files else None,
            progress=progress,
        )
    study.show(files, result)
