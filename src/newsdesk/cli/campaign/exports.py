"""`newsdesk campaign judgments`, `weights`, `gains`, `pairs` and `report`: what the judgments are good for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign.store import opened, store_option, texts_of
from newsdesk.errors import ArgumentError
from newsdesk.files import write_text

if TYPE_CHECKING:
    from newsdesk.campaigns.protocols import Protocol

_question = click.option("--question", help="Which one, where several were asked: overall.")


@click.command("judgments")
@click.argument("name")
@click.option(
    "--history", is_flag=True, help="Every row ever stored, not only the last of each key."
)
@options.out
@options.force
@store_option
def judgments_command(name: str, out: str, url: str, *, history: bool, force: bool) -> None:
    """Write the judgments, annotators as keyed hashes.

    \b
    Example:
      newsdesk campaign judgments pilot -o judgments.jsonl
    """
    with opened(url) as store:
        found = store.judgments(name, current=not history, include_excluded=history)
        _write(out, found, "judgments", force=force)


@click.command("weights")
@click.argument("name")
@click.option(
    "--map",
    "how",
    type=click.Choice(["minmax", "max", "itemmax"]),
    default="minmax",
    show_default=True,
)
@_question
@options.out
@options.force
@store_option
def weights_command(
    name: str, how: Any, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write the judged texts as references, weighted by mean grade, share of votes, or share of others ranked behind.

    \b
    Example:
      newsdesk campaign weights pilot --map minmax -o references.jsonl
    """
    from newsdesk.campaigns.aggregate import values_of, weighted_references
    from newsdesk.metrics.weights import Weighting

    with opened(url) as store:
        form = store.campaign(name).protocol
        rows = values_of(store.judgments(name, control=False), form, question)
        texts = texts_of(store.tasks(name))
    scale = (0.0, 1.0) if form.kind in ("select", "rank") else _ends(form)
    weighting = Weighting(how) if how == "itemmax" else Weighting(how, *scale)
    found = weighted_references(rows, texts, weighting)
    _write(out, found, f"references, weights {weighting.signature}", force=force)


def _ends(form: Protocol) -> tuple[float, float]:
    if form.kind != "scale":
        raise ArgumentError(
            f"a campaign of kind {form.kind!r} gives no weights; grades, votes and ranks do"
        )
    return float(form.values[0]), float(form.values[-1])


@click.command("gains")
@click.argument("name")
@click.option("--threads", help="The threads that were judged, to keep their articles whole.")
@_question
@options.out
@options.force
@store_option
def gains_command(
    name: str, threads: str | None, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write threads with score, yes and votes; a name that ends in .qrels gets whole-number TREC qrels.

    \b
    Example:
      newsdesk campaign gains pilot -o gains.jsonl
    """
    from newsdesk import records
    from newsdesk.campaigns.aggregate import gain_threads, qrels_lines, values_of
    from newsdesk.types import Thread

    with opened(url) as store:
        form = store.campaign(name).protocol
        rows = values_of(store.judgments(name, control=False), form, question)
        texts = texts_of(store.tasks(name))
    if out.endswith(".qrels"):
        if form.kind == "rank":
            raise ArgumentError("ranks give no whole-number gains; write .jsonl")
        write_text(out, "".join(f"{line}\n" for line in qrels_lines(rows)), overwrite=force)
        return
    known = {t.article.id: t.article for t in records.read(threads, Thread)} if threads else {}
    found = gain_threads(rows, texts, known, votes=form.kind == "select")
    _write(out, found, "threads", force=force)


@click.command("pairs")
@click.argument("name")
@click.option(
    "--margin", default=0.0, show_default=True, help="The least difference that makes a pair."
)
@_question
@options.out
@options.force
@store_option
def pairs_command(
    name: str, margin: float, question: str | None, out: str, url: str, *, force: bool
) -> None:
    """Write every two targets of an item of which one was judged better.

    \b
    Example:
      newsdesk campaign pairs pilot --margin 0.2 -o pairs.jsonl
    """
    from newsdesk.campaigns.aggregate import training_pairs, values_of

    with opened(url) as store:
        form = store.campaign(name).protocol
        rows = values_of(store.judgments(name, control=False), form, question)
    _write(out, training_pairs(rows, least_margin=margin), "pairs", force=force)


@click.command("report")
@click.argument("name")
@click.option("--threads", help="The threads that were judged, to compare votes with likes.")
@options.seed
@options.out
@options.force
@store_option
def report_command(
    name: str, threads: str | None, seed: int, out: str, url: str, *, force: bool
) -> None:
    """Write one page: progress, results, agreement, annotators, ranking with intervals.

    \b
    Example:
      newsdesk campaign report pilot -o pilot.html
    """
    from newsdesk.campaigns.report import report_page

    with opened(url) as store:
        page = report_page(store, name, threads, seed)
    write_text(out, page, overwrite=force)


def _write(out: str, found: Iterable[Any], what: str, *, force: bool) -> None:
    from newsdesk import records

    count = records.write(out, found, overwrite=force)
    click.echo(f"{count} {what}", err=True)
