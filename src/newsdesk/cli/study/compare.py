"""`newsdesk study compare`: systems against each other, by metrics and by people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits
from newsdesk.cli.progress import drawn
from newsdesk.cli.study.correlate import Sources, sources

if TYPE_CHECKING:
    from newsdesk.stats.significance import Correction
    from newsdesk.studies.compare.systems import SystemStudy


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

    \b
    Example:
      newsdesk study compare outputs.jsonl --references references.jsonl --human human.csv --metrics rouge-1,w-meteor
    """
    from newsdesk.studies.compare.formats import compare_json
    from newsdesk.studies.compare.systems import CompareSettings, compare_inputs

    settings = CompareSettings(samples=samples, seed=seed, correction=correction)
    inputs = source.read(score=False)
    with drawn("comparing") as progress:
        study = compare_inputs(inputs, settings, progress)
    emit(study, _table, compare_json)


def _table(study: SystemStudy) -> str:
    from newsdesk.cli.table import Cell, table
    from newsdesk.studies.compare.formats import verdict
    from newsdesk.studies.correlate.formats import cell

    lines = [verdict(study), ""]
    by_key = {(row.system, row.measure): row for row in study.measured}
    rows: list[list[Cell]] = []
    for system in study.systems:
        cells: list[Cell] = [system]
        for measure in study.measures:
            row = by_key.get((system, measure))
            cells.append(f"{cell(row.value, row.ci)} {row.groups}".rstrip() if row else None)
        words = study.words.get(system)
        rows.append([*cells, None if words is None else f"{words:.1f}"])
    lines += [table(["system", *study.measures, "words"], rows)]
    lines += ["Systems that share a letter cannot be told apart by that measure."]
    for ranks in study.ranks:
        ranked: list[list[Cell]] = [
            [
                each.system,
                cell(each.mean_rank, each.mean_rank_ci),
                cell(each.strength, each.strength_ci),
                each.groups,
            ]
            for each in ranks.systems
        ]
        header = [f"by rank ({ranks.question})", "mean rank", "Bradley-Terry", "Nemenyi group"]
        lines += ["", table(header, ranked)]
        lines += [ranks.note] if ranks.note else []
    compared: list[list[Cell]] = [
        [
            comparison.measure,
            comparison.first,
            comparison.second,
            cell(comparison.difference, comparison.ci),
            comparison.p,
            comparison.p_corrected,
            f"{comparison.wins}/{comparison.ties}/{comparison.losses}",
            cell(comparison.equal_length, comparison.equal_length_ci),
        ]
        for comparison in study.comparisons
    ]
    header = ["measure", "first", "second", "difference", "p", "p corrected", "win/tie/loss", "at equal length"]  # fmt: skip
    lines += ["", table(header, compared), "", *dict.fromkeys(r.signature for r in study.measured)]
    return "\n".join(lines)
