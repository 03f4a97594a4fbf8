"""Check what scores mean: `newsdesk rank audit` (likes) and `newsdesk rank game` (filler)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits
from newsdesk.cli.options import option
from newsdesk.cli.rank.eval import number
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.results.table import Cell, table
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.rankers.evaluation.audit import Bar, LikesAudit
    from newsdesk.rankers.evaluation.gaming import Gamed


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
    "Styles of filler, comma-separated, each with :prepend or :interleave if it is not appended; all: every style in every place. Default: four styles.",
    metavar="NAMES",
)
@options.samples
@options.seed
@emits
@reads_threads
def game_command(
    model: str,
    threads: str,
    kinds: str | None,
    samples: int,
    seed: int,
    *,
    files: ThreadFiles,
    emit: Emit,
) -> None:
    """Test whether filler text moves weak comments above better ones: the share of pairs whose order it reverses.

    \b
    Example:
      newsdesk rank game model/ threads.jsonl
    """
    from newsdesk.cli.progress import library_warnings
    from newsdesk.rankers.evaluation.gaming import KINDS, PLACES, game as try_filler, styles
    from newsdesk.rankers.ready import Models

    models = Models(model)
    every = [f"{style}:{place}" for style in styles() for place in PLACES]
    chosen = every if kinds == "all" else kinds.split(",") if kinds else KINDS
    read = list(files.read(threads))
    loaded = models.one(read)
    with library_warnings():
        fillers = try_filler(loaded, models.checked(read), chosen, samples=samples, seed=seed)
    emit(
        fillers,
        _game_table,
        lambda fillers: {"fillers": [filler.as_json(loaded.name) for filler in fillers]},
    )


def _game_table(fillers: Sequence[Gamed]) -> str:
    cells = [[filler.kind, number(filler.share, filler.ci), filler.pairs] for filler in fillers]
    lines = [table(["filler", "now wrong", "pairs right before"], cells), ""]
    return "\n".join([*lines, *(filler.signature for filler in fillers)])
