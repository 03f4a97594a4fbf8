"""`newsdesk study plan`: how many items, votes and people an annotation needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.study.options import numbers
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.stats.power import Grades
    from newsdesk.studies.plan import GradePlan, VotePlan


@click.command("plan")
@click.option(
    "--pilot", type=options.INPUT, help="Judgments of a pilot (JSONL), with grades as numbers."
)
@click.option("--question", metavar="NAME", help="Question of the pilot; needed if it has several.")
@click.option(
    "--agreement", type=float, help="Agreement between people (alpha or ICC), instead of --pilot."
)
@click.option("--sd", type=float, help="With --agreement: standard deviation of single grades.")
@click.option(
    "--scale",
    metavar="LOW-HIGH",
    help="Lowest and highest grade, such as 1-5; default: those of the pilot.",
)
@click.option("--difference", type=float, help="Difference of mean grades to detect.")
@click.option(
    "--power",
    default=0.8,
    show_default=True,
    help="Statistical power: share of campaigns that detect the difference.",
)
@click.option(
    "--level", default=0.05, show_default=True, help="Significance level of the paired t-test."
)
@click.option(
    "--comparisons",
    default=1,
    show_default=True,
    help="Number of comparisons to correct for (Bonferroni).",
)
@click.option(
    "--votes",
    default="1,2,3,5",
    show_default=True,
    metavar="N,N,…",
    help="Numbers of votes per output or comment to try.",
)
@click.option(
    "--most-items", default=1_000, show_default=True, help="Largest number of items to simulate."
)
@click.option(
    "--per-person",
    default=200,
    show_default=True,
    help="Number of outputs that one person can judge.",
)
@click.option(
    "--threads",
    type=options.INPUT,
    help="Threads with votes (yes of votes per comment): also plan votes on comments.",
)
@click.option(
    "--budget", default=40_000, show_default=True, help="With --threads: total number of votes."
)
@click.option(
    "--comments",
    default="5,10,20,50,100",
    show_default=True,
    metavar="N,N,…",
    help="With --threads: numbers of comments per article to try.",
)
@click.option(
    "-k", "--k", default=5, show_default=True, help="With --threads: cutoff k of the top comments."
)
@click.option("--draws", default=2_000, show_default=True, help="Number of simulated campaigns.")
@options.seed
@options.as_json
@options.printed
@options.force
@reads_threads
def plan_command(
    pilot: str | None,
    question: str | None,
    agreement: float | None,
    sd: float | None,
    scale: str | None,
    difference: float | None,
    power: float,
    level: float,
    comparisons: int,
    votes: str,
    most_items: int,
    per_person: int,
    threads: str | None,
    budget: int,
    comments: str,
    k: int,
    draws: int,
    seed: int,
    out: str,
    *,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
) -> None:
    """Plan an annotation: the items, votes and people needed to detect a difference between two systems, by simulated campaigns.

    With --threads also votes on comments: ties among the top k, and many articles against many comments at equal cost.

    \b
    Example:
      newsdesk study plan --agreement 0.4 --sd 1.1 --scale 1-5 --difference 0.3
      newsdesk study plan --pilot judgments.jsonl --difference 0.3 --power 0.9
      newsdesk study plan --threads threads.jsonl --budget 40000 -k 5
    """
    from newsdesk.jsonl import json_text
    from newsdesk.studies.plan import plan_grades, plan_json, plan_threads

    refuse_existing(out, force=force)
    model = _model(pilot, question, agreement, sd, scale)
    if model is None and threads is None:
        raise click.UsageError("--pilot, --agreement with --sd, or --threads is needed.")
    if (model is None) != (difference is None):
        raise click.UsageError("--difference goes with --pilot or --agreement, and they with it.")
    listed = numbers(votes, "--votes")
    grades = None
    if model is not None and difference is not None:
        grades = plan_grades(
            model,
            difference,
            votes=listed,
            power=power,
            level=level,
            comparisons=comparisons,
            most_items=most_items,
            per_person=per_person,
            draws=draws,
            seed=seed,
        )
    ballots = None
    if threads is not None:
        ballots = plan_threads(
            files.read(threads),
            budget=budget,
            comments=numbers(comments, "--comments"),
            votes=listed,
            k=k,
            draws=draws,
            seed=seed,
        )
    as_object = as_json or out.endswith(".json")
    text = json_text(plan_json(grades, ballots)) if as_object else _tables(grades, ballots)
    show(out, text, force=force)


def _model(
    pilot: str | None,
    question: str | None,
    agreement: float | None,
    sd: float | None,
    scale: str | None,
) -> Grades | None:
    from newsdesk import records
    from newsdesk.stats.power import of_agreement, of_pilot
    from newsdesk.types import Judgment

    if pilot and agreement is not None:
        raise click.UsageError("--pilot and --agreement exclude each other; choose one.")
    if (agreement is None) != (sd is None):
        raise click.UsageError("--agreement and --sd go together.")
    ends = _ends(scale)
    if pilot:
        return of_pilot(records.read(pilot, Judgment), question=question, scale=ends)
    if agreement is not None and sd is not None:
        return of_agreement(agreement, sd, scale=ends)
    return None


def _ends(scale: str | None) -> tuple[int, int] | None:
    if scale is None:
        return None
    low, _, high = scale.partition("-")
    if not low.isdecimal() or not high.isdecimal():
        raise click.BadParameter(f"{scale!r} is not like 1-5", param_hint="--scale")
    return int(low), int(high)


def _tables(grades: GradePlan | None, votes: VotePlan | None) -> str:
    from newsdesk.cli.table import table
    from newsdesk.studies.plan import model_sentence, power_rows, vote_rows

    lines: list[str] = []
    if grades:
        lines += [grades.verdict, "", table(*power_rows(grades)), "", model_sentence(grades)]
        lines += [grades.signature]
    if votes:
        lines += [""] if lines else []
        lines += [votes.verdict, "", table(*vote_rows(votes)), "", votes.signature]
    return "\n".join(lines)
