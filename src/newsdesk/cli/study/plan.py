"""Plan an annotation (`newsdesk study plan`), and choose what to label next (`newsdesk study next`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits
from newsdesk.cli.options import input_file, option
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.stats.power import Grades
    from newsdesk.studies.next_labels import NextComments, NextItems
    from newsdesk.studies.plan import GradePlan, VotePlan


@click.command("next")
@click.argument("inputs", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@option(
    "--for",
    "purpose",
    "ranker: comments of threads to label; verdict: outputs to judge until the best system is known.",
    type=click.Choice(["ranker", "verdict"]),
    required=True,
)
@input_file("--judgments", "With --for verdict: grades collected so far (JSONL).")
@option("--question", "With --for verdict: the question that decides.", metavar="NAME")
@option("--level", "With --for verdict: significance level of the tests.", default=0.05)
@options.top("Number of comments or items to list.", 50)
@options.seed
@emits
@reads_threads
def next_command(
    inputs: tuple[str, ...],
    purpose: str,
    judgments: str | None,
    question: str | None,
    level: float,
    top: int,
    seed: int,
    *,
    files: ThreadFiles,
    emit: Emit,
) -> None:
    """List what to label next, the most informative first.

    For a ranker: comments without votes whose answer cannot be predicted from their length, estimated from comments that have votes (`yes` of
    `votes`). For a verdict: items on which the leading system and those that do not differ significantly from it should be judged.

    \b
    Example:
      newsdesk study next threads.jsonl --for ranker --top 100
      newsdesk study next outputs.jsonl --for verdict --judgments judgments.jsonl
    """
    from newsdesk import records
    from newsdesk.studies.next_labels import next_comments, next_items
    from newsdesk.types import Judgment, Output

    result: NextComments | NextItems
    if purpose == "ranker":
        if judgments or question:
            raise click.UsageError("--judgments and --question go with --for verdict.")
        result = next_comments(
            (thread for path in inputs for thread in files.read(path)), count=top
        )
    else:
        if not judgments:
            raise click.UsageError("--for verdict needs --judgments: the grades so far.")
        result = next_items(
            (output for path in inputs for output in records.read(path, Output)),
            records.read(judgments, Judgment),
            count=top,
            question=question,
            level=level,
            seed=seed,
        )
    emit(result)


@click.command("plan")
@input_file("--pilot", "Judgments of a pilot (JSONL), with grades as numbers.")
@option("--question", "Question of the pilot; needed if it has several.", metavar="NAME")
@option("--agreement", "Agreement between people (alpha or ICC), instead of --pilot.", type=float)
@option("--sd", "With --agreement: standard deviation of single grades.", type=float)
@option(
    "--scale",
    "Lowest and highest grade, such as 1-5; default: those of the pilot.",
    metavar="LOW-HIGH",
)
@option("--difference", "Difference of mean grades to detect.", type=float)
@option("--power", "Statistical power: share of campaigns that detect the difference.", default=0.8)
@option("--level", "Significance level of the paired t-test.", default=0.05)
@option("--comparisons", "Number of comparisons to correct for (Bonferroni).", default=1)
@option(
    "--votes",
    "Numbers of votes per output or comment to try.",
    type=options.NUMBERS,
    default="1,2,3,5",
    metavar="N,N,…",
)
@option("--most-items", "Largest number of items to simulate.", default=1_000)
@option("--per-person", "Number of outputs that one person can judge.", default=200)
@input_file(
    "--threads", "Threads with votes (yes of votes per comment): also plan votes on comments."
)
@option("--budget", "With --threads: total number of votes.", default=40_000)
@option(
    "--per-article",
    "comments",
    "With --threads: numbers of comments per article to try.",
    type=options.NUMBERS,
    default="5,10,20,50,100",
    metavar="N,N,…",
)
@options.top("With --threads: cutoff k of the top comments.", 5)
@option("--draws", "Number of simulated campaigns.", default=2_000)
@options.seed
@emits
@reads_threads
def plan_command(
    pilot: str | None,
    question: str | None,
    agreement: float | None,
    sd: float | None,
    scale: str | None,
    difference: float | None,
    votes: list[int],
    threads: str | None,
    budget: int,
    comments: list[int],
    top: int,
    draws: int,
    seed: int,
    *,
    files: ThreadFiles,
    emit: Emit,
    **design: Any,
) -> None:
    """Plan an annotation: the items, votes and people needed to detect a difference between two systems, by simulated campaigns.

    With --threads also votes on comments: ties among the top k, and many articles against many comments at equal cost.

    \b
    Example:
      newsdesk study plan --agreement 0.4 --sd 1.1 --scale 1-5 --difference 0.3
      newsdesk study plan --pilot judgments.jsonl --difference 0.3 --power 0.9
      newsdesk study plan --threads threads.jsonl --budget 40000 --top 5
    """
    from newsdesk.studies.plan import plan_grades, plan_json, plan_threads

    model = _model(pilot, question, agreement, sd, scale)
    if model is None and threads is None:
        raise click.UsageError("--pilot, --agreement with --sd, or --threads is needed.")
    if (model is None) != (difference is None):
        raise click.UsageError("--difference goes with --pilot or --agreement, and they with it.")
    grades = None
    if model is not None and difference is not None:
        grades = plan_grades(model, difference, votes=votes, draws=draws, seed=seed, **design)
    ballots = None
    if threads is not None:
        ballots = plan_threads(
            files.read(threads),
            budget=budget,
            comments=comments,
            votes=votes,
            k=top,
            draws=draws,
            seed=seed,
        )
    emit((grades, ballots), lambda plans: _tables(*plans), lambda plans: plan_json(*plans))


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
    from newsdesk.results.table import table
    from newsdesk.studies.plan import model_sentence, power_rows, vote_rows

    lines: list[str] = []
    if grades:
        lines += [grades.verdict, "", table(*power_rows(grades)), "", model_sentence(grades)]
        lines += [grades.signature]
    if votes:
        lines += [""] if lines else []
        lines += [votes.verdict, "", table(*vote_rows(votes)), "", votes.signature]
    return "\n".join(lines)
