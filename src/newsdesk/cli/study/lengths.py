"""`newsdesk study lengths`: which length gives extraction its best F."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli.progress import counted
from newsdesk.cli.study.files import (
    Asked,
    numbers,
    score_cell,
    score_json,
    study_options,
)

if TYPE_CHECKING:
    from newsdesk.studies.lengths import Lengths


@click.command("lengths")
@click.argument("clusters")
@click.option("--words", default="25,30,35,40,45,50", show_default=True, help="Lengths to try.")
@click.option(
    "--oracle",
    type=click.Choice(["oracle-multi", "oracle-single"]),
    default="oracle-multi",
    show_default=True,
    help="Over the whole cluster, or the best single article.",
)
@click.option("--sample", type=int, help="Clusters to draw; all when left out.")
@study_options
def lengths_command(
    clusters: str,
    words: str,
    oracle: str,
    sample: int | None,
    *,
    asked: Asked,
) -> None:
    """The best length of a summary: an oracle forced to each.

    \b
    Example:
      newsdesk study lengths clusters.jsonl --words 25,30,35,40,45,50 -o lengths.json
    """
    from newsdesk import records
    from newsdesk.studies.lengths import lengths_section, study_lengths
    from newsdesk.types import Cluster

    tried = numbers(words, "--words")
    files = asked.files()
    with counted("lengths", sample) as told:
        found = study_lengths(
            records.read(clusters, Cluster),
            oracle=oracle,
            lengths=tried,
            sample=sample,
            samples=asked.samples,
            seed=asked.seed,
            processes=asked.jobs,
            log=files.log if files else None,
            told=told,
        )
    lead = "How long an extract should be: what an oracle scores when it must fill each length."
    shown = _as_table(found)
    asked.tell(files, _as_json(found), shown, lead, lambda: lengths_section(found))


def _as_json(found: Lengths) -> dict[str, Any]:
    rows = [
        {
            "max_words": each.max_words,
            "spec": each.spec,
            "scores": {figure: score_json(score) for figure, score in each.scores.items()},
        }
        for each in found.lengths
    ]
    return {
        "best": found.best.max_words,
        "lengths": rows,
        "clusters": found.clusters,
        "signature": found.signature,
    }


def _as_table(found: Lengths) -> str:
    from newsdesk.cli.table import Cell, table

    rows: list[list[Cell]] = [
        [each.max_words, *map(score_cell, each.scores.values())] for each in found.lengths
    ]
    lines = [
        table(["words", *found.best.scores], rows),
        "",
        f"highest R1-F at {found.best.max_words} words, {found.clusters} clusters",
        found.signature,
    ]
    signatures = dict.fromkeys(score.signature for score in found.best.scores.values())
    return "\n".join([*lines, *signatures])
