"""`newsdesk rank eval`: length-controlled evaluation of runs against scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show, typed
from newsdesk.cli.rank.measures import cell, depths_of, number
from newsdesk.cli.table import Cell, table
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.jsonl import json_text
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.rankers.evaluation.evaluate import RankerEvaluation

# The table shows the tests of these measures; JSON has all.
_TESTED = ("ndcg", "blmp")


@click.command("eval")
@click.argument("runs", type=options.INPUT, nargs=-1, metavar="RUN...")
@click.option(
    "-t", "--threads", type=options.INPUT, required=True, help="Threads with scores, or qrels."
)
@click.option(
    "-k",
    "--k",
    "depths",
    default="1,5,10",
    show_default=True,
    metavar="N,N,…",
    help="Cutoffs k of NDCG@k and precision@k.",
)
@click.option(
    "--baselines",
    metavar="NAMES",
    help="Baselines to evaluate as well, comma-separated: like,random,length.",
)
@options.samples
@options.seed
@options.as_json
@options.printed
@options.force
@reads_threads
def eval_command(
    runs: tuple[str, ...],
    threads: str,
    depths: str,
    baselines: str | None,
    samples: int,
    seed: int,
    out: str,
    *,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
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
    refuse_existing(out, force=force)
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
            note=lambda sentence: click.echo(f"note: {sentence}", err=True),
            progress=progress,
        )
    if out.endswith(".html"):
        from newsdesk.studies.report import result_page

        text = result_page(evaluation.as_json(), typed(), "Rankers evaluated")
    else:
        text = json_text(evaluation.as_json()) if as_json else _as_table(evaluation)
    show(out, text, force=force)


def _baselines(text: str | None) -> list[str]:
    from newsdesk.rankers.evaluation.judged import BASELINES

    names = text.split(",") if text else []
    for name in names:
        if name not in BASELINES:
            known = ", ".join(BASELINES)
            raise click.BadParameter(f"{name!r} is none of {known}", param_hint="--baselines")
    return names


def _as_table(evaluation: RankerEvaluation) -> str:
    names = list(evaluation.systems)
    ceilings = [name.replace("_", " ") for name in evaluation.ceiling]
    rows: list[list[Cell]] = [
        [
            measure,
            *(cell(evaluation.systems[name][measure]) for name in names),
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
