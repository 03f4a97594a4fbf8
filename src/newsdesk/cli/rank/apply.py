"""Rank comments with a fitted or a ready model (`newsdesk rank apply`), explain its scores (`rank explain`), rank by who voted (`rank bridge`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, note, one_line, prints, refuse_existing, show
from newsdesk.cli.options import flag, input_file, option
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsdesk.rankers.bridging import BridgedComment, Bridging
    from newsdesk.rankers.gate.gate import Gate
    from newsdesk.rankers.ordering import PositionBias
    from newsdesk.rankers.ranked import RankedThread
    from newsdesk.results.table import Cell
    from newsdesk.types import Thread


@click.command("explain")
@click.argument("model")
@click.argument("threads")
@options.top("Largest number of reasons per comment.", 3)
@options.printed("Output file (JSONL); `-` is standard output.")
@options.force
@reads_threads
def explain_command(
    model: str, threads: str, top: int, out: str, *, files: ThreadFiles, force: bool
) -> None:
    """Explain in words why each comment has its score: a line of JSON per comment, with quotations.

    \b
    Example:
      newsdesk rank explain model/ threads.jsonl -o reasons.jsonl
      newsdesk rank explain ready comments.csv --top 1
    """
    from newsdesk.cli.progress import library_warnings, reading
    from newsdesk.rankers.ranked import explanations
    from newsdesk.rankers.ranker import write_reasons
    from newsdesk.rankers.ready import Models

    models = Models(model)
    explained = explanations(models, reading(files.read(threads)), top)
    with library_warnings():
        write_reasons(out, explained, overwrite=force)


_TABLE_TOP = 10
_NOT_WRITTEN = frozenset((".xlsx", ".xls", ".ods", ".docx", ".pdf", ".tsv", ".htm", ".parquet"))


@click.command("apply")
@click.argument("model")
@click.argument("threads", type=options.INPUT)
@option(
    "-o",
    "--out",
    "Output file: a table (.csv), a page (.html) or a run (.jsonl, .trec; `-` prints one); default: print a short table.",
    metavar="FILE",
)
@flag("--full", "With -o FILE.jsonl: also write texts, standings, probabilities and reasons.")
@options.top("Comments per article; default: all, but 200 on a page and 10 in the printed table.")
@option(
    "--diversity",
    "Penalty, 0 to 1, on a comment that repeats comments ranked above it.",
    type=options.BoundedNumber(0, 1),
    default=0.0,
)
@option(
    "--half-life",
    "Age in hours at which the value of a comment is halved, if times are known.",
    type=options.BoundedNumber(min=0, min_open=True),
    metavar="HOURS",
)
@options.length
@flag(
    "--position-bias",
    "Correct likes for the position at which comments were shown, if positions are known.",
)
@option(
    "--gate/--no-gate",
    "Hold comments back before the ranking: copies, other languages, broken text, advertisements, insults, capitals; default: on for a table and a page, off for a run.",
    default=None,
)
@option(
    "--hold-back",
    "Share of usual comments that may be held back for insults, 0 to 0.05; turns the gate on; default: 0.01.",
    type=options.BoundedNumber(0, 0.05),
    metavar="SHARE",
)
@option(
    "--toxic-from",
    "Toxicity, 0 to 1, from which a comment is held back, if it comes with one (--map toxicity=COLUMN); turns the gate on; default: 0.8.",
    type=options.BoundedNumber(0, 1),
    metavar="SCORE",
)
@options.as_json()
@options.force
@reads_threads
def apply_command(
    model: str,
    threads: str,
    out: str | None,
    top: int | None,
    diversity: float,
    half_life: float | None,
    gate: bool | None,
    hold_back: float | None,
    toxic_from: float | None,
    length: float | None,
    *,
    files: ThreadFiles,
    full: bool,
    position_bias: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Rank the comments of every thread. MODEL is a folder that `rank fit` wrote, or `ready`, the model that ships.

    THREADS is a file of threads or of comments: a table (.csv, .xlsx, .parquet), JSON, an export of Disqus, Coral or WordPress, a conversation of Mastodon or Bluesky.

    \b
    Example:
      newsdesk rank apply ready comments.csv -o ranked.html
      newsdesk rank apply model/ threads.jsonl -o run.jsonl
    """
    from newsdesk.cli.progress import library_warnings, reading_and_working
    from newsdesk.jsonl import json_text
    from newsdesk.rankers.ordering import Ordering
    from newsdesk.rankers.ranked import Ranking
    from newsdesk.rankers.ranked_files import first_of_each, form_of, row, write_ranked
    from newsdesk.rankers.ready import Models
    from newsdesk.wording import plural

    if full and (out is None or as_json or form_of(out) != ".jsonl"):
        raise click.UsageError("--full is for -o FILE.jsonl")
    printed = out is None or as_json
    _check_ending(out)
    if out is not None:
        refuse_existing(out, force=force)
    models = Models(model, length)
    reader = files.read(threads)
    for_people = printed or form_of(out or "-") in (".csv", ".html")
    held: Counter[str] = Counter()
    ranking = Ranking(
        models,
        Ordering(diversity, half_life),
        explained=for_people or full,
        gate=_gate(gate, hold_back, toxic_from, default=for_people),
    )
    with library_warnings(), reading_and_working(reader) as (records, report):
        read: Iterable[Thread] = records
        if position_bias:
            bias, read = _position_bias(read)
            ranking = replace(ranking, position_bias=bias)
        ranking = replace(ranking, progress=report)
        ranked = _counting(ranking.of(models.at_hand(read)), held)
        for links in models.links:
            note(links)
        if out is None or as_json:
            if as_json:
                shown = first_of_each(ranked, top)
                rows = [row(thread, comment) for thread in shown for comment in thread.everything]
                text = json_text({"comments": rows})
            else:
                # What is held back is listed apart, however few of the others are shown.
                most = top or _TABLE_TOP
                text = _table(
                    [replace(thread, comments=thread.comments[:most]) for thread in ranked]
                )
            show(out or "-", text, force=force)
            return
        count = write_ranked(out, ranked, full=full, top=top, overwrite=force)
    kinds = ", ".join(f"{kind} {number}" for kind, number in held.most_common())
    apart = f"; {held.total():,} held back ({kinds})" if held else ""
    click.echo(f"{plural(count, 'comment')} of {plural(reader.count, 'article')}{apart}", err=True)
    if not ranking.is_plain:
        click.echo(ranking.settings, err=True)


def _gate(
    wanted: bool | None, share: float | None, toxicity: float | None, *, default: bool
) -> Gate | None:
    """Return the gate that the options ask for, None without one."""
    from newsdesk.rankers.gate.gate import SHARE, TOXICITY, Gate

    named = share is not None or toxicity is not None
    if wanted is False and named:
        raise click.UsageError("--no-gate leaves nothing for --hold-back and --toxic-from to set")
    if not (default or named if wanted is None else wanted):
        return None
    return Gate(SHARE if share is None else share, TOXICITY if toxicity is None else toxicity)


def _counting(ranked: Iterable[RankedThread], held: Counter[str]) -> Iterator[RankedThread]:
    """Yield the same threads, and count what is held back by its kind."""
    for thread in ranked:
        held.update(placed.held.kind for placed in thread.held_back or () if placed.held)
        yield thread


def _check_ending(out: str | None) -> None:
    """Refuse a file of a form that is not written, before a run of JSON lines stands under its name."""
    ending = Path((out or "").removesuffix(".gz")).suffix.lower()
    if ending in _NOT_WRITTEN:
        raise click.BadParameter(
            f"{ending} files are not written; name a .csv, .html, .jsonl or .trec file.",
            param_hint="--out",
        )


def _position_bias(threads: Iterable[Thread]) -> tuple[PositionBias, list[Thread]]:
    from newsdesk.rankers.ordering import PositionBias

    listed = list(threads)
    return PositionBias.of(listed), listed


def _table(ranked: list[RankedThread]) -> str:
    """Return the first comments of each article, shortened, and the signatures."""
    from newsdesk.results.table import table

    columns: dict[str, list[Cell]] = {name: [] for name in ("article", "rank", "score", "standing", "probability", "±", "text")}  # fmt: skip
    for thread in ranked:
        for comment in thread.comments:
            cells: list[Cell] = [
                thread.article.id,
                comment.rank,
                comment.score,
                comment.standing,
                comment.probability,
                comment.probability_error,
                one_line(comment.comment.text),
            ]
            for column, cell in zip(columns.values(), cells, strict=True):
                column.append(cell)
    # What the model does not tell has no column.
    shown = {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}  # fmt: skip
    rows = [list(cells) for cells in zip(*shown.values(), strict=True)]
    header = list(shown)
    signatures = dict.fromkeys(thread.signature for thread in ranked)
    held: list[list[Cell]] = [
        [
            thread.article.id,
            placed.comment.id,
            placed.held.text if placed.held else "",
            one_line(placed.comment.text),
        ]
        for thread in ranked
        for placed in thread.held_back or ()
    ]
    apart = ["", table(["article", "comment", "held back", "text"], held)] if held else []
    return "\n".join([table(header, rows), *apart, "", *signatures])


@click.command("bridge")
@click.argument("votes", type=options.INPUT)
@input_file("-t", "--threads", "Threads with the texts of the comments, to be shown.")
@option(
    "-o",
    "--out",
    "Output file: a table (.csv) or a run (.jsonl, .trec); default: print the groups and a short table.",
    metavar="FILE",
)
@options.top("Number of comments per article in the printed table.", _TABLE_TOP)
@options.seed
@options.force
@prints
@reads_threads
def bridge_command(
    votes: str,
    threads: str | None,
    out: str | None,
    top: int,
    seed: int,
    *,
    force: bool,
    files: ThreadFiles,
    emit: Emit,
) -> None:
    """Rank comments by what opposed groups of voters both value. VOTES says who voted: a table (comment, voter, vote) or the judgments of a campaign.

    \b
    Example:
      newsdesk rank bridge votes.csv
      newsdesk rank bridge votes.csv --threads threads.jsonl -o bridged.csv
    """
    from newsdesk.rankers.bridging import bridge, read_votes, write_bridging

    _check_ending(out)
    if out is not None:
        refuse_existing(out, force=force)
        if out.endswith(".html"):
            raise click.BadParameter("name a .csv, .jsonl or .trec file.", param_hint="--out")
    matrix = read_votes(votes)
    if threads:
        texts = {
            (thread.article.id, comment.id): comment.text
            for thread in files.read(threads)
            for comment in thread.comments
        }
        matrix = replace(matrix, texts=texts)
    bridged = bridge(matrix, seed=seed)
    for sentence in bridged.notes:
        note(sentence)
    if out is not None:
        write_bridging(out, bridged, overwrite=force)
    if out is None or emit.as_json:
        emit(bridged, lambda bridged: _bridging_table(bridged, top))


def _bridging_table(bridged: Bridging, top: int) -> str:
    """Return the verdict, the groups, what divides them, and the first comments of each article."""
    from newsdesk.results.table import table, with_ends

    lines = [bridged.verdict]
    for group in bridged.groups:
        if group.stands_for:
            names = "; ".join(map(_comment_name, group.stands_for))
            lines.append(f"group {group.group} ({group.voters:,} voters) stands for: {names}")
    if bridged.dividing:
        lines.append(f"dividing: {'; '.join(map(_comment_name, bridged.dividing))}")
    numbered = len(bridged.groups) > 1
    rows: list[list[Cell]] = [
        [
            one.article,
            one.rank,
            one.comment,
            with_ends(one.score, one.ci),
            one.share,
            *(one.groups if numbered else ()),
            one_line(one.text),
        ]
        for one in bridged.comments
        if one.rank <= top
    ]
    groups = [f"group {group.group}" for group in bridged.groups if numbered]
    header = ["article", "rank", "comment", "consensus", "share of yes", *groups, "text"]
    return "\n".join([*lines, "", table(header, rows), "", bridged.signature])


def _comment_name(one: BridgedComment) -> str:
    text = f" ({one_line(one.text)})" if one.text else ""
    return f"{one.article}/{one.comment}{text}"
