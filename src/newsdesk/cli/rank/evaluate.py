"""`newsdesk rank eval`: runs measured against scores, so that length cannot pass for quality."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.rank import figures
from newsdesk.cli.table import Cell, table
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.rankers.evaluate import Evaluation
    from newsdesk.rankers.judged import Judged, System
    from newsdesk.types import Thread

# The table shows the tests of these; JSON has those of every figure.
_TESTED = ("ndcg", "blmp")
_BASELINES = ("like", "random", "length")


@click.command("eval")
@click.argument("runs", type=options.INPUT, nargs=-1, metavar="RUN...")
@click.option(
    "-t", "--threads", type=options.INPUT, required=True, help="Threads with scores, or qrels."
)
@click.option("-k", "--k", "depths", default="1,5,10", show_default=True, help="Depths.")
@click.option("--baselines", help="Also rank by these: like,random,length (with commas).")
@options.samples
@options.seed
@options.as_json
@options.printed
@options.force
def eval_command(
    runs: tuple[str, ...],
    threads: str,
    depths: str,
    baselines: str | None,
    samples: int,
    seed: int,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> None:
    """Measure runs against scores: NDCG, precision, and accuracy at equal length, with tests between systems.

    \b
    Example:
      newsdesk rank eval run.jsonl --threads threads.jsonl --baselines length,random
    """
    ks = figures.depths_of(depths)
    if not runs and not baselines:
        raise click.UsageError("name at least one RUN, or --baselines")
    from newsdesk import records
    from newsdesk.rankers.evaluate import evaluate
    from newsdesk.rankers.judged import Judged
    from newsdesk.types import Thread

    refuse_existing(out, force=force)
    listed = list(records.read(threads, Thread))
    judged = Judged.of(listed)
    systems = [*_from_runs(runs, judged), *_from_baselines(baselines, listed, judged, seed)]
    _report(judged, systems)
    found = evaluate(judged, systems, ks, samples=samples, seed=seed)
    text = json_text(figures.as_json(found)) if as_json else _as_table(found)
    show(out, text, force=force)


def _from_runs(runs: tuple[str, ...], judged: Judged) -> Iterator[System]:
    from newsdesk import records
    from newsdesk.rankers.judged import system_of_run
    from newsdesk.types import Ranked

    stems = [Path(run).name.partition(".")[0] for run in runs]
    for run, stem in zip(runs, stems, strict=True):
        name = stem if stem and stems.count(stem) == 1 else run
        yield system_of_run(name, records.read(run, Ranked), judged)


def _from_baselines(
    names: str | None, threads: list[Thread], judged: Judged, seed: int
) -> Iterator[System]:
    from newsdesk.rankers.evaluate import TRIALS
    from newsdesk.rankers.judged import system_of
    from newsdesk.rankers.ranker import ranker

    for name in names.split(",") if names else []:
        if name not in _BASELINES:
            known = ", ".join(_BASELINES)
            raise click.BadParameter(f"{name!r} is none of {known}", param_hint="--baselines")
        seeds = [{"seed": seed + trial} for trial in range(TRIALS)] if name == "random" else [{}]
        yield system_of(name, [ranker(name, **each) for each in seeds], threads, judged)


def _report(judged: Judged, systems: list[System]) -> None:
    if judged.unjudged:
        click.echo(f"note: {judged.unjudged} comments have no score and are left out", err=True)
    for system in systems:
        if system.missing:
            lacks = f"{system.name} lacks {system.missing} judged comments; they stand last"
            click.echo(f"note: {lacks}", err=True)
        if system.unknown:
            lacks = f"{system.name} ranks {system.unknown} comments that nobody judged"
            click.echo(f"note: {lacks}; they are left out", err=True)


def _as_table(found: Evaluation) -> str:
    names = list(found.systems)
    ceilings = [name.replace("_", " ") for name in found.ceiling]
    rows: list[list[Cell]] = [
        [
            figure,
            *(figures.cell(found.systems[name][figure]) for name in names),
            *(each.get(figure) for each in found.ceiling.values()),
        ]
        for figure in found.systems[names[0]]
    ]
    lines = [table(["figure", *names, *ceilings], rows)]
    tests: list[list[Cell]] = [
        [
            each.figure,
            each.first,
            each.second,
            figures.number(each.difference, each.ci),
            each.p_randomization,
            each.p_t,
        ]
        for each in found.comparisons
        if each.figure.partition("@")[0] in _TESTED
    ]
    if tests:
        header = ["figure", "first", "second", "difference", "p randomization", "p t-test"]
        lines += ["", table(header, tests)]
    return "\n".join([*lines, "", f"{found.n} articles; {found.signature}"])
