"""`newsdesk study tune`: grid search of a summarizer's settings on validation clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.progress import drawn
from newsdesk.cli.study.options import StudyOptions, check_measure, study_options
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.studies.tuning import Tuning


@click.command("tune")
@click.argument("clusters", type=options.INPUT)
@click.option(
    "-m",
    "--method",
    required=True,
    metavar="METHOD",
    help="Name or spec of a summarizer; `newsdesk list summarizers` has the names.",
)
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="NAME=V,V,…",
    help="Values of a setting to try; repeat for all combinations. Default: redundancy 0 to 1, or diversity 1 to 10.",
)
@click.option(
    "--measure",
    default="R1-F",
    show_default=True,
    metavar="NAME",
    help="Measure to maximize: R1-F, R2-F, RL-F, R1-R, R2-R or RL-R.",
)
@click.option("--sample", default=100, show_default=True, help="Number of clusters to sample.")
@click.option(
    "--max-words", default=40, show_default=True, help="Length limit of a summary in words."
)
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
    from newsdesk.studies.tuning import LEAD, grid_of, tune, tuning_json, tuning_section
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
        click.echo(f"note: there {there} {size}, and all were used", err=True)
    shown = _as_table(result)
    study.show(files, tuning_json(result), shown, LEAD, lambda: tuning_section(result))


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


def _as_table(result: Tuning) -> str:
    from newsdesk.cli.table import table, with_ends
    from newsdesk.results.scores import score_cell

    header = [*result.names, result.measure, "best is ahead by"]
    rows = [
        [
            *map(str, setting.values),
            score_cell(setting.score),
            with_ends(setting.behind.difference, (setting.behind.low, setting.behind.high)),
        ]
        for setting in result.settings
    ]
    lines = [table(header, rows), "", f"best: {result.choice.spec}"]
    if result.as_good:
        lines.append(
            f"{plural(len(result.as_good), 'other setting')} cannot be told from it on {plural(result.clusters, 'cluster')}"
        )
    return "\n".join([*lines, result.signature, result.choice.score.signature])
