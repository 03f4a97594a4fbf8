"""`newsdesk study lengths`: which length gives extraction its best F."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli.progress import counted
from newsdesk.cli.study.options import (
    Asked,
    numbers,
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
    from newsdesk.studies.lengths import LEAD, lengths_json, lengths_section, study_lengths
    from newsdesk.types import Cluster

    tried = numbers(words, "--words")
    files = asked.files()
    with counted("lengths", sample) as progress:
        result = study_lengths(
            records.read(clusters, Cluster),
            oracle=oracle,
            lengths=tried,
            sample=sample,
            samples=asked.samples,
            seed=asked.seed,
            processes=asked.jobs,
            log=files.log if files else None,
            progress=progress,
        )
    shown = _as_table(result)
    asked.tell(files, lengths_json(result), shown, LEAD, lambda: lengths_section(result))


def _as_table(result: Lengths) -> str:
    from newsdesk.cli.table import Cell, table
    from newsdesk.metrics.score_formats import score_cell

    rows: list[list[Cell]] = [
        [each.max_words, *map(score_cell, each.scores.values())] for each in result.lengths
    ]
    lines = [
        table(["words", *result.best.scores], rows),
        "",
        f"highest R1-F at {result.best.max_words} words, {result.clusters} clusters",
        result.signature,
    ]
    signatures = dict.fromkeys(score.signature for score in result.best.scores.values())
    return "\n".join([*lines, *signatures])
