"""`newsdesk study lengths`: the summary length of highest F for an extractive oracle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.progress import drawn
from newsdesk.cli.study.options import (
    StudyOptions,
    numbers,
    study_options,
)

if TYPE_CHECKING:
    from newsdesk.studies.lengths import Lengths


@click.command("lengths")
@click.argument("clusters", type=options.INPUT)
@click.option(
    "--words",
    default="25,30,35,40,45,50",
    show_default=True,
    metavar="N,N,…",
    help="Lengths to try, in words.",
)
@click.option(
    "--oracle",
    type=click.Choice(["oracle-multi", "oracle-single"]),
    default="oracle-multi",
    show_default=True,
    help="oracle-multi: sentences of the whole cluster; oracle-single: of the best single article.",
)
@click.option("--sample", type=int, help="Number of clusters to sample; default: all.")
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
    from newsdesk.studies.lengths import LEAD, lengths_json, lengths_section, study_lengths
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
    shown = _as_table(result)
    study.show(files, lengths_json(result), shown, LEAD, lambda: lengths_section(result))


def _as_table(result: Lengths) -> str:
    from newsdesk.cli.table import Cell, table
    from newsdesk.results.scores import score_cell
    from newsdesk.wording import plural

    rows: list[list[Cell]] = [
        [length.max_words, *map(score_cell, length.scores.values())] for length in result.lengths
    ]
    lines = [
        table(["words", *result.best.scores], rows),
        "",
        f"highest R1-F at {plural(result.best.max_words, 'word')}, {plural(result.clusters, 'cluster')}",
        result.signature,
    ]
    signatures = dict.fromkeys(score.signature for score in result.best.scores.values())
    return "\n".join([*lines, *signatures])
