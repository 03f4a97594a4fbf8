"""`newsdesk study curve`: what more articles are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli.progress import counted
from newsdesk.cli.study.options import (
    Asked,
    check_figure,
    numbers,
    study_options,
)

if TYPE_CHECKING:
    from newsdesk.studies.curve import Curve


@click.command("curve")
@click.argument("clusters")
@click.option(
    "-m", "--method", "methods", multiple=True, required=True, help="A name or spec; repeatable."
)
@click.option("--added", default="0,5,10,20,50,100", show_default=True, help="Articles to add.")
@click.option("--figure", default="R1-F", show_default=True, help="What the table shows.")
@click.option("--sample", type=int, help="Clusters to draw; all when left out.")
@click.option("--max-words", default=40, show_default=True, help="The limit of a summary.")
@study_options
def curve_command(
    clusters: str,
    methods: tuple[str, ...],
    added: str,
    figure: str,
    sample: int | None,
    max_words: int,
    *,
    asked: Asked,
) -> None:
    """Scores against the number of articles added to each cluster.

    \b
    Example:
      newsdesk study curve clusters.jsonl --method centroid --method submodular --added 0,5,10 -o curve.json
    """
    from newsdesk import records
    from newsdesk.studies.curve import LEAD, curve, curve_json, curve_section
    from newsdesk.types import Cluster

    check_figure(figure)
    counts = numbers(added, "--added")
    files = asked.files()
    with counted("curve", sample and sample * len(counts)) as progress:
        result = curve(
            records.read(clusters, Cluster),
            methods,
            added=counts,
            sample=sample,
            max_words=max_words,
            samples=asked.samples,
            seed=asked.seed,
            processes=asked.jobs,
            log=files.log if files else None,
            progress=progress,
        )
    shown = _as_table(result, figure)
    asked.tell(files, curve_json(result), shown, LEAD, lambda: curve_section(result, figure))


def _as_table(result: Curve, figure: str) -> str:
    from newsdesk.cli.table import Cell, table
    from newsdesk.metrics.score_formats import score_cell

    counts = list(dict.fromkeys(point.added for point in result.points))
    rows: list[list[Cell]] = []
    for count in counts:
        here = [point for point in result.points if point.added == count]
        cells = [score_cell(point.scores[figure]) for point in here]
        rows.append([count, f"{here[0].articles:.1f}", here[0].full, *cells])
    lines = [
        table(["added", "articles", "clusters with so many", *result.systems], rows),
        "",
        f"{figure}, {result.clusters} clusters",
        result.signature,
        result.points[0].scores[figure].signature,
    ]
    return "\n".join(lines)
