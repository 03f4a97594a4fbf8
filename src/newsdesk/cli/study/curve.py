"""`newsdesk study curve`: what more articles are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli.progress import counted
from newsdesk.cli.study.files import (
    Asked,
    check_figure,
    numbers,
    score_cell,
    score_json,
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
    from newsdesk.studies.curve import curve, curve_section
    from newsdesk.types import Cluster

    check_figure(figure)
    counts = numbers(added, "--added")
    files = asked.files()
    with counted("curve", sample and sample * len(counts)) as told:
        found = curve(
            records.read(clusters, Cluster),
            methods,
            added=counts,
            sample=sample,
            max_words=max_words,
            samples=asked.samples,
            seed=asked.seed,
            processes=asked.jobs,
            log=files.log if files else None,
            told=told,
        )
    lead = "What articles found later are worth beside those that editors cited."
    shown = _as_table(found, figure)
    asked.tell(files, _as_json(found), shown, lead, lambda: curve_section(found, figure))


def _as_json(found: Curve) -> dict[str, Any]:
    points = [
        {
            "system": point.system,
            "added": point.added,
            "articles": point.articles,
            "full": point.full,
            "scores": {figure: score_json(score) for figure, score in point.scores.items()},
        }
        for point in found.points
    ]
    return {"points": points, "clusters": found.clusters, "signature": found.signature}


def _as_table(found: Curve, figure: str) -> str:
    from newsdesk.cli.table import Cell, table

    counts = list(dict.fromkeys(point.added for point in found.points))
    rows: list[list[Cell]] = []
    for count in counts:
        here = [point for point in found.points if point.added == count]
        cells = [score_cell(point.scores[figure]) for point in here]
        rows.append([count, f"{here[0].articles:.1f}", here[0].full, *cells])
    lines = [
        table(["added", "articles", "clusters with so many", *found.systems], rows),
        "",
        f"{figure}, {found.clusters} clusters",
        found.signature,
        found.points[0].scores[figure].signature,
    ]
    return "\n".join(lines)
