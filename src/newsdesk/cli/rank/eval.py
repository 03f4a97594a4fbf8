"""`newsdesk rank eval`: length-controlled evaluation of runs against scores; cutoffs and cells of `rank` tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits, note
from newsdesk.cli.options import input_file, option
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.results.table import Cell, table, with_ends
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.rankers.evaluation.evaluate import MeasuredRanker, RankerEvaluation


cutoffs = option(
    "-k", "--k", "depths", "Cutoffs k of NDCG@k and precision@k.", default="1,5,10", metavar="N,N,…"
)


def depths_of(text: str) -> list[int]:
    """Parse a list of cutoffs k such as 1,5,10."""
    try:
        ks = [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list like 1,5,10", param_hint="--k") from None
    if min(ks) < 1 or len(set(ks)) != len(ks):
        raise click.BadParameter(f"{text!r} repeats a depth or has one below 1", param_hint="--k")
    return ks


def measure_cell(measured: MeasuredRanker) -> str | None:
    """Return a measure with its interval as text; None where it has no value."""
    return None if measured.value is None else number(measured.value, measured.ci)


def number(value: float | None, ci: tuple[float, float] | None) -> str | None:
    """Return a number with its interval as text; None where either is missing."""
    if value is None or ci is None:
        return None
    return with_ends(value, ci)


# The table shows the tests of these measures; JSON has all.
_TESTED = ("ndcg", "blmp")


@click.command("eval")
@click.argument("runs", type=options.INPUT, nargs=-1, metavar="RUN...")
@input_file("-t", "--threads", "Threads with scores, or qrels.", required=True)
@cutoffs
@option(
    "--baselines",
    "Baselines to evaluate as well, comma-separated: like,random,length.",
    metavar="NAMES",
)
@options.samples
@options.seed
@emits
@reads_threads
def eval_command(
    runs: tuple[str, ...],
    threads: str,
    depths: str,
    baselines: str | None,
    samples: int,
    seed: int,
    *,
    files: ThreadFiles,
    emit: Emit,
) -> None:
    """Evaluate runs against scores: NDCG, precision and accuracy at equal length, with intervals and tests between systems.

    \b
    Example:
      newsdesk rank eval run.jsonl --threads threads.jsonl --baselines length,random
    """
    ks = depths_of(depths)
    if not runs and not baselines:
        raise click.UsageError("name at least one RUN, or --baselines")
    from newsdesk import records
    from newsdesk.cli.progress import drawn, reading
    from newsdesk.rankers.evaluation.evaluate import evaluate_runs
    from newsdesk.rankers.evaluation.judged import run_names
    from newsdesk.types import Ranked

    chosen = _baselines(baselines)
    judged = list(reading(files.read(threads)))
    with drawn() as progress:
        evaluation = evaluate_runs(
            judged,
            (
                (name, records.read(run, Ranked))
                for name, run in zip(run_names(runs), runs, strict=True)
            ),
            ks,
            baselines=chosen,
            samples=samples,
            seed=seed,
            note=note,
            progress=progress,
        )
    emit(evaluation, _as_table, page="Rankers evaluated")


def _baselines(text: str | None) -> list[str]:
    from newsdesk.rankers.evaluation.judged import BASELINES

    names = text.split(",") if text else []
    for name in names:
        if name not in BASELINES:
            names_all = ", ".join(BASELINES)
            raise click.BadParameter(f"{name!r} is none of {names_all}", param_hint="--baselines")
    return names


def _as_table(evaluation: RankerEvaluation) -> str:
    names = list(evaluation.systems)
    ceilings = [name.replace("_", " ") for name in evaluation.ceiling]
    rows: list[list[Cell]] = [
        [
            measure,
            *(measure_cell(evaluation.systems[name][measure]) for name in names),
            *(each.get(measure) for each in evaluation.ceiling.values()),
        ]
        for measure in evaluation.systems[names[0]]
    ]
    lines = [table(["measure", *names, *ceilings], rows)]
    tests: list[list[Cell]] = [
        [
            comparison.measure,
            comparison.first,
            comparison.second,
            number(comparison.difference, comparison.ci),
            comparison.p_randomization,
            comparison.p_t,
        ]
        for comparison in evaluation.comparisons
        if comparison.measure.partition("@")[0] in _TESTED
    ]
    if tests:
        header = ["measure", "first", "second", "difference", "p randomization", "p t-test"]
        lines += ["", table(header, tests)]
    return "\n".join([*lines, "", f"{plural(evaluation.n, 'article')}; {evaluation.signature}"])
