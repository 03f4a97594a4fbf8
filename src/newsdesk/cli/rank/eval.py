"""Evaluate runs against scores at equal length (`newsdesk rank eval`), and check what scores mean (`rank audit`, `rank game`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits, note
from newsdesk.cli.options import flag, input_file, option, whole_number
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.rankers.evaluation.audit import Bar, LikesAudit
    from newsdesk.rankers.evaluation.evaluate import MeasuredRanker, RankerEvaluation
    from newsdesk.rankers.evaluation.game_search import TriedTrick
    from newsdesk.rankers.evaluation.gaming import Gamed
    from newsdesk.results.table import Cell

cutoffs = option(
    "-k",
    "--k",
    "ks",
    "Cutoffs k of NDCG@k and precision@k.",
    type=options.WholeNumbers("1,5,10", "repeats a depth or has one below 1"),
    default="1,5,10",
    metavar="N,N,…",
)


def measure_cell(measured: MeasuredRanker) -> str | None:
    """Return a measure with its interval as text; None where it has no value."""
    return None if measured.value is None else number(measured.value, measured.ci)


def number(value: float | None, ci: tuple[float, float] | None) -> str | None:
    """Return a number with its interval as text; None where either is missing."""
    from newsdesk.results.table import with_ends

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
    ks: list[int],
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
    from newsdesk.results.table import table

    names = list(evaluation.systems)
    ceilings = [name.replace("_", " ") for name in evaluation.ceiling]
    rows: list[list[Cell]] = [
        [
            measure,
            *(measure_cell(evaluation.systems[name][measure]) for name in names),
            *(values.get(measure) for values in evaluation.ceiling.values()),
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


@click.command("audit")
@click.argument("threads")
@options.top("Number of random comments, and of most liked comments, to compare.", 5_000)
@option(
    "--dislike-weight",
    "Likes that one dislike cancels; ratio: likes per dislike in the file.",
    default="5",
    metavar="NUMBER|ratio",
)
@options.samples
@options.seed
@emits
@reads_threads
def audit_command(
    threads: str,
    top: int,
    dislike_weight: str,
    samples: int,
    seed: int,
    *,
    files: ThreadFiles,
    emit: Emit,
) -> None:
    """Compare likes with scores: their correlation, and the distributions of scores of random and of most liked comments.

    \b
    Example:
      newsdesk rank audit threads.jsonl
    """
    from newsdesk.rankers.evaluation.audit import audit as compare

    audit = compare(
        files.read(threads),
        top,
        dislike_weight=_weight(dislike_weight),
        samples=samples,
        seed=seed,
    )
    emit(audit, _audit_table)


def _weight(text: str) -> float | None:
    try:
        return None if text == "ratio" else float(text)
    except ValueError:
        hint = "--dislike-weight"
        raise click.BadParameter(
            f"{text!r} is neither a number nor ratio", param_hint=hint
        ) from None


def _audit_table(audit: LikesAudit) -> str:
    from newsdesk.results.table import table

    rows: list[list[Cell]] = [[_span(bar), bar.random, bar.liked] for bar in audit.bars]
    rows.append(["mean", audit.random_mean, audit.liked_mean])
    lines = [table(["score", f"{audit.count} random", f"{audit.count} most liked"], rows), ""]
    correlation = number(audit.pearson, audit.ci) or "– (one side is constant)"
    lines.append(
        f"likes - {audit.dislike_weight:g} x dislikes against score, {plural(audit.n, 'comment')}: r = {correlation}"
    )
    return "\n".join([*lines, audit.signature])


def _span(bar: Bar) -> str:
    return f"{bar.low:g}" if bar.low == bar.high else f"{bar.low:g} to {bar.high:g}"


@click.command("game")
@click.argument("model")
@click.argument("threads")
@option(
    "--kinds",
    "Styles of filler (with --search tricks), comma-separated, each with :prepend or :interleave if it is not appended; all: every style in every place. Default: those of --fillers, or four styles.",
    metavar="NAMES",
)
@input_file("--fillers", "Styles of your own (TOML: [[style]] with name and texts), added whole.")
@flag("--search", "Search for the cheapest rise: tricks, and combinations of them.")
@whole_number("--sample", "With --search: size of the random sample of weak comments.", default=100)
@whole_number("--max-words", "Length limit of what --search adds to a comment.", default=60)
@options.samples
@options.seed
@emits
@reads_threads
def game_command(
    model: str,
    threads: str,
    kinds: str | None,
    fillers: str | None,
    sample: int,
    max_words: int,
    samples: int,
    seed: int,
    *,
    search: bool,
    files: ThreadFiles,
    emit: Emit,
) -> None:
    """Test whether filler text moves weak comments above better ones: the share of pairs whose order it reverses.

    \b
    Example:
      newsdesk rank game model/ threads.jsonl
      newsdesk rank game model/ threads.jsonl --fillers styles.toml
      newsdesk rank game model/ threads.jsonl --search --sample 20
    """
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.rankers.evaluation.game_search import search as search_rise
    from newsdesk.rankers.evaluation.gaming import everywhere, game, read_fillers, styles
    from newsdesk.rankers.ready import Models

    models = Models(model)
    own = read_fillers(fillers) if fillers else {}
    names = kinds.split(",") if kinds else []
    read = list(files.read(threads))
    loaded = models.one(read)
    checked = models.checked(read)
    sampling: dict[str, Any] = {"own": own, "samples": samples, "seed": seed}
    if search:
        chosen = [] if names == ["all"] else names
        limits: dict[str, Any] = {"max_words": max_words, "sample": sample}
        with library_warnings(), drawn("searching") as progress:
            tried = search_rise(loaded, checked, chosen, **limits, **sampling, progress=progress)
        emit(tried, _search_table, lambda tried: {"tricks": _as_json(tried, loaded.name)})
    else:
        chosen = everywhere([*own, *styles()]) if names == ["all"] else names
        with library_warnings():
            gamed = game(loaded, checked, chosen, **sampling)
        emit(gamed, _game_table, lambda gamed: {"fillers": _as_json(gamed, loaded.name)})


def _as_json(results: Sequence[Gamed | TriedTrick], system: str) -> list[dict[str, Any]]:
    return [result.as_json(system) for result in results]


def _game_table(fillers: Sequence[Gamed]) -> str:
    from newsdesk.results.table import table

    cells = [[filler.kind, number(filler.share, filler.ci), filler.pairs] for filler in fillers]
    lines = [table(["filler", "now wrong", "pairs right before"], cells), ""]
    return "\n".join([*lines, *(filler.signature for filler in fillers)])


def _search_table(tried: Sequence[TriedTrick]) -> str:
    """Return a row per trick, and the text that rose most."""
    from newsdesk.results.table import table

    rows: list[list[Cell]] = [
        [trick.trick, number(trick.share, trick.ci), trick.lifted, trick.words_to_lift, trick.pairs]
        for trick in tried
    ]
    header = ["trick", "now wrong", "comments lifted", "words to lift", "pairs right before"]
    lines = [table(header, rows), ""]
    cases = [trick.worst for trick in tried if trick.worst]
    if cases:
        worst = max(cases, key=lambda case: case.passed)
        passed = f"passed {worst.passed:g} of {plural(worst.of, 'better comment')}"
        lines += [
            f"worst case, {worst.article}/{worst.comment}: {worst.words} words by {worst.place} {passed}:",
            "".join(char if char.isprintable() else " " for char in worst.text),
            "",
        ]
    return "\n".join([*lines, *(trick.signature for trick in tried)])
