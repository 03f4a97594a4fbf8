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
    from newsdesk.studies.compare import CompareSettings, compare_inputs

    settings = CompareSettings(samples=samples, seed=seed, correction=correction)
    inputs = source.read(score=False)
    with drawn("comparing") as progress:
        result = compare_inputs(inputs, settings, progress)
    emit(result)
